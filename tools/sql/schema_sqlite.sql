SELECT '' AS s, m.name AS t, m.type AS k, '' AS tc, p.name AS c, p.type AS ct, p.pk > 0 AS pk, '' AS cc, f."table" AS rt, f."to" AS rc
FROM sqlite_schema m JOIN pragma_table_info(m.name) p LEFT JOIN pragma_foreign_key_list(m.name) f ON f."from" = p.name
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY m.name, p.cid
