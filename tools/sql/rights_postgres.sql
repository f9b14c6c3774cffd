WITH mine AS (
  SELECT oid, rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles WHERE pg_has_role(current_user, oid, 'MEMBER')
), own AS (
  SELECT n.oid, n.nspname FROM pg_namespace n WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
)
SELECT current_user AS role, what FROM (
  SELECT 1 AS rank, 'is a superuser' AS what FROM mine WHERE rolsuper
  UNION ALL SELECT 2, 'may create roles' FROM mine WHERE rolcreaterole
  UNION ALL SELECT 2, 'may create databases' FROM mine WHERE rolcreatedb
  UNION ALL SELECT 2, 'may replicate' FROM mine WHERE rolreplication
  UNION ALL SELECT 2, 'is a member of ' || rolname FROM mine WHERE rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files',
    'pg_read_server_files', 'pg_signal_backend', 'pg_checkpoint', 'pg_maintain', 'pg_create_subscription', 'pg_database_owner')
  UNION ALL SELECT 3, 'may create in the database ' || d.datname FROM mine, pg_database d WHERE d.datdba = mine.oid OR has_database_privilege(mine.oid, d.oid, 'CREATE')
  UNION ALL SELECT 4, 'may create in the schema ' || own.nspname || ' (REVOKE CREATE ON SCHEMA ' || quote_ident(own.nspname) || ' FROM ' || quote_ident(mine.rolname) || ', PUBLIC)'
    FROM mine, own WHERE has_schema_privilege(mine.oid, own.oid, 'CREATE')
  UNION ALL SELECT 5, 'may change the table ' || own.nspname || '.' || c.relname FROM mine, pg_class c JOIN own ON own.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (c.relowner = mine.oid OR has_table_privilege(mine.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(mine.oid, c.oid, 'INSERT, UPDATE'))
  UNION ALL SELECT 6, 'may change the sequence ' || own.nspname || '.' || c.relname FROM mine, pg_class c JOIN own ON own.oid = c.relnamespace
    WHERE c.relkind = 'S' AND has_sequence_privilege(mine.oid, c.oid, 'UPDATE, USAGE')
  UNION ALL SELECT 7, 'may call ' || p.oid::regprocedure || CASE WHEN p.prosecdef THEN ', which acts with the rights of its owner' ELSE ', which can do anything on the server' END
      || ' (REVOKE EXECUTE ON ROUTINE ' || p.oid::regprocedure || ' FROM ' || quote_ident(mine.rolname) || ', PUBLIC)'
    FROM mine, pg_proc p JOIN own ON own.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
    WHERE (p.prosecdef OR NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'c')) AND p.prorettype <> 'trigger'::regtype
      AND has_function_privilege(mine.oid, p.oid, 'EXECUTE')
) rights WHERE rank = 1 OR NOT EXISTS (SELECT FROM mine WHERE rolsuper) ORDER BY rank, what LIMIT 4
