SELECT n.nspname AS s, c.relname AS t, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS k, obj_description(c.oid, 'pg_class') AS tc,
  a.attname AS c, format_type(a.atttypid, a.atttypmod) AS ct, i.indrelid IS NOT NULL AS pk, col_description(c.oid, a.attnum) AS cc,
  CASE WHEN f.oid IS NOT NULL THEN f.confrelid::regclass::text END AS rt, r.attname AS rc
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)
  LEFT JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum]
  LEFT JOIN pg_attribute r ON r.attrelid = f.confrelid AND r.attnum = f.confkey[1]
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
  AND has_schema_privilege(n.oid, 'USAGE') AND (has_table_privilege(c.oid, 'SELECT') OR has_column_privilege(c.oid, a.attnum, 'SELECT'))
ORDER BY n.nspname, c.relname, a.attnum
