#!/bin/bash
# databases.sh: PostgreSQL 17 and MariaDB 11, each in a folder of its own in the cache. Nothing is started.
# POSTGRES_BIN and MARIADB_BASE in the environment name what to use instead: the folder of initdb and postgres, the folder above bin.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock databases

prefix=$cache/postgres
postgres=${POSTGRES_BIN:-$prefix/usr/lib/postgresql/17/bin}
if [[ ! ${POSTGRES_BIN:-} && ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	BINS="usr/lib/postgresql/17/bin/initdb usr/lib/postgresql/17/bin/postgres" \
		step postgres "installing PostgreSQL 17, about 20 seconds" "$install_dir/debs.sh" trixie "$prefix" postgresql-17
	touch "$prefix/.complete"
fi
"$postgres/postgres" --version >&2 || die "$postgres/postgres does not start"

prefix=$cache/mariadb
mariadb=${MARIADB_BASE:-$prefix/usr}
if [[ ! ${MARIADB_BASE:-} && ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	BINS="usr/sbin/mariadbd usr/bin/my_print_defaults usr/bin/resolveip" \
		step mariadb "installing MariaDB 11, about 20 seconds" "$install_dir/debs.sh" trixie "$prefix" mariadb-server-core mariadb-server
	touch "$prefix/.complete"
fi
"$mariadb/sbin/mariadbd" --no-defaults --version >&2 || die "$mariadb/sbin/mariadbd does not start"

echo "POSTGRES_BIN=$postgres"
echo "MARIADB_BASE=$mariadb"
