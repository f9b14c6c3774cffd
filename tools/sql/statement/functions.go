package statement

import (
	"slices"
	"strings"
)

// acting are functions that do something besides giving a value, or that run a text as SQL. A role with only reading
// cannot use most of them; no list has all.
var acting = strings.Fields(
	// SQLite
	"load_extension readfile writefile edit fts3_tokenizer " +
		// PostgreSQL
		"set_config setval nextval ts_stat ts_rewrite connectby xpath_table txid_current pg_current_xact_id " +
		"pg_stat_file pg_notify pg_reload_conf pg_rotate_logfile pg_cancel_backend pg_terminate_backend " +
		"pg_switch_wal pg_promote pg_export_snapshot pg_import_system_collations " +
		// of the extensions pg_cron and aws_lambda
		"schedule schedule_in_database unschedule invoke " +
		// MySQL and MariaDB
		"load_file sleep benchmark get_lock release_lock release_all_locks master_pos_wait master_gtid_wait " +
		"source_pos_wait wait_for_executed_gtid_set sys_exec sys_eval sys_get sys_set spider_direct_sql " +
		"spider_bg_direct_sql " +
		// GoogleSQL
		"external_query",
)

// actingPrefixes begin the names of such functions.
var actingPrefixes = strings.Fields(
	"pg_read_ pg_ls_ pg_file_ pg_log_ pg_sleep pg_advisory_ pg_try_advisory_ pg_create_ pg_drop_ pg_copy_ " +
		"pg_logical_ pg_replication_ pg_stat_reset pg_stat_clear pg_wal_replay_ pg_backup_ pg_start_ pg_stop_ " +
		"pg_restore_ pg_clear_ lo_ lowrite loread dblink http crosstab postgres_fdw_ pg_stat_statements_reset " +
		"pg_set_ pg_background_ heap_force_ " +
		// These read what the statement does not name as a table, or run a text.
		"query_to_xml cursor_to_xml table_to_xml schema_to_xml database_to_xml",
)

// tellingPragmas are the pragmas of SQLite that only tell something, by the names under which a statement reads them as
// tables.
var tellingPragmas = strings.Fields(
	"pragma_collation_list pragma_compile_options pragma_database_list pragma_foreign_key_list " +
		"pragma_function_list pragma_index_info pragma_index_list pragma_index_xinfo pragma_module_list " +
		"pragma_pragma_list pragma_table_info pragma_table_list pragma_table_xinfo",
)

// acts reports whether a function does more than give a value.
func acts(name string) bool {
	return slices.Contains(acting, name) ||
		slices.ContainsFunc(actingPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
