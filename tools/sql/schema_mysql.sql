SELECT '' AS s, c.table_name AS t, CASE WHEN t.table_type LIKE '%VIEW' THEN 'view' ELSE 'table' END AS k, CASE WHEN t.table_type LIKE '%VIEW' THEN '' ELSE t.table_comment END AS tc,
  c.column_name AS c, c.column_type AS ct, c.column_key = 'PRI' AS pk, c.column_comment AS cc, u.referenced_table_name AS rt, u.referenced_column_name AS rc
FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  LEFT JOIN information_schema.key_column_usage u ON u.table_schema = c.table_schema AND u.table_name = c.table_name AND u.column_name = c.column_name AND u.referenced_table_name IS NOT NULL
WHERE c.table_schema = DATABASE()
ORDER BY c.table_name, c.ordinal_position
