SELECT '' AS s, table_name AS t, 'table' AS k, '' AS tc, column_name AS c, %s AS ct, FALSE AS pk, '' AS cc, '' AS rt, '' AS rc
FROM %s WHERE %s
ORDER BY table_name, ordinal_position
