# shellcheck shell=bash disable=SC2154
# clients.sh - the clients of the matrix, and how each sends the load.  The environment says where to and what; see
# test/tools/matrix/load.py.

# name, family, tree, hows (the kinds of lines that it can send), prepares (own: a prepare is a round of its own; with:
# it comes with the first execution), pipes (yes: it sends pipelines), quick or slow, modes, what it needs: a package,
# or npm:NAME
clients="
mariadb     mysql      host text,fails,delay          own  no  quick plain,tls,zlib,haproxy      mariadb-client-core
pymysql     mysql      host text,fails,delay          own  no  quick plain,tls,haproxy           python3-pymysql
mysqlclient mysql      host text,fails,delay          own  no  slow  plain,tls,zlib,haproxy      python3-mysqldb
perl-dbi    mysql      host text,prepared,fails,delay own  no  quick plain,tls,zlib,haproxy      libdbd-mysql-perl
php-mysqli  mysql      host text,prepared,fails,delay own  no  slow  plain,tls,zlib,haproxy      php-mysql
connector-j mysql      host text,prepared,fails,delay own  no  quick plain,tls,zlib,haproxy      libmariadb-java
npm-mysql2  mysql      host text,prepared,fails,delay own  no  slow  plain,tls,zlib,haproxy      npm:mysql2
npm-mariadb mysql      host text,prepared,fails,delay own  no  slow  plain,tls,zlib,haproxy      npm:mariadb
sysbench    mysql      host text,prepared,delay       own  no  quick plain,tls,zlib,haproxy      sysbench
mysql-9.7   mysql      sid  text,fails,delay          own  no  slow  plain,tls,zlib,zstd,haproxy mysql-client-core
psql        postgresql host text,fails,delay          own  no  quick plain,tls,haproxy,pgbouncer postgresql-client-$host_postgres
psycopg     postgresql host text,prepared,fails,delay own  no  quick plain,tls,haproxy,pgbouncer python3-psycopg
asyncpg     postgresql host text,prepared,fails,delay own  no  quick plain,tls,haproxy,pgbouncer python3-asyncpg
perl-dbi    postgresql host text,prepared,fails,delay own  no  slow  plain,tls,haproxy,pgbouncer libdbd-pg-perl
pgjdbc      postgresql host text,prepared,fails,delay with no  quick plain,tls,haproxy,pgbouncer libpostgresql-jdbc-java
npm-pg      postgresql host text,prepared,fails,delay with no  slow  plain,tls,haproxy,pgbouncer npm:pg
pgbench     postgresql host text,delay                own  no  quick plain,tls,haproxy,pgbouncer postgresql-$host_postgres
redis-cli   redis      host text,fails,delay          own  no  quick plain,tls,haproxy           redis-tools
pipe        redis      host text,fails,delay          own  yes slow  plain,haproxy               redis-tools
benchmark   redis      host text,delay                own  no  quick plain,tls,haproxy           redis-tools
npm-redis   redis      host text,fails,delay          own  no  slow  plain,tls,haproxy           npm:redis
npm-ioredis redis      host text,fails,delay          own  no  slow  plain,tls,haproxy           npm:ioredis
ab          http       host text,fails,delay          own  no  quick plain,tls,haproxy           apache2-utils
wrk         http       host text,fails,delay          own  no  quick plain,tls,haproxy           wrk
curl        http       host text,fails,delay          own  no  quick plain,tls,gzip,haproxy      curl
"

# --- the languages ------------------------------------------------------------------------------------------

load_py() { in_tree /usr/bin/python3 "$run/tools/load.py" "$1"; }
load_pl() { in_tree perl "$run/tools/load.pl" "$1"; }
load_js() { NODE_PATH=$npm/node_modules node "$tools/load.js" "$1"; }
load_java() { in_tree java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "/usr/share/java/$1" "$run/tools/Load.java" "$2"; }
texts() { # [END OF A LINE]
	awk -v first="$MATRIX_FIRST" -v rounds="$MATRIX_ROUNDS" -v hows="$MATRIX_HOWS" -v end="${1-;}" -f "$tools/load.awk" "$tools/$family.load"
}
lines() { # times, tab, how, tab, text: for clients that send a line so many times, one after the other
	awk -F '\t' -v first="$MATRIX_FIRST" -v rounds="$MATRIX_ROUNDS" -v hows=",$MATRIX_HOWS," '!/^#/ && index(hows, "," $2 ",") {
		n = 0
		for (i = first; i < first + rounds; i++)
			n += i % $1 == 0
		if (n)
			print n "\t" $2 "\t" $3
	}' "$tools/$family.load"
}

# --- MySQL and MariaDB --------------------------------------------------------------------------------------

send_mysql_pymysql() { load_py pymysql; }
send_mysql_mysqlclient() { load_py mysqldb; }
send_mysql_perl-dbi() { load_pl mysql; }
send_mysql_php-mysqli() { in_tree php "$run/tools/load.php"; }
send_mysql_connector-j() { load_java mariadb-java-client.jar mariadb; }
send_mysql_npm-mysql2() { load_js mysql2; }
send_mysql_npm-mariadb() { load_js mariadb; }
send_mysql_mariadb() {
	case $MATRIX_MODE in
	tls) set -- --ssl ;;
	zlib) set -- --skip-ssl --compress ;;
	*) set -- --skip-ssl ;;
	esac
	texts | in_tree mariadb --no-defaults -h 127.0.0.1 -P "$MATRIX_PORT" -u "$MATRIX_USER" "$@" -f -N -B shop 2>&1 | refused nothing
}
send_mysql_mysql-9.7() {
	case $MATRIX_MODE in
	tls) set -- --ssl-mode=REQUIRED ;;
	zlib | zstd) set -- --ssl-mode=DISABLED --compression-algorithms="$MATRIX_MODE" ;;
	*) set -- --ssl-mode=DISABLED ;;
	esac
	texts | in_tree mysql --no-defaults -h 127.0.0.1 -P "$MATRIX_PORT" -u "$MATRIX_USER" "$@" -f -N -B shop 2>&1 | refused nothing
}
send_mysql_sysbench() {
	case $MATRIX_MODE in
	tls) set -- --mysql-ssl=on ;;	# it takes certificates from the folder where it runs
	zlib) set -- --mysql-compression=on ;;
	*) set -- ;;
	esac
	(cd "$certificates" && sysbench "$tools/load.lua" --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$MATRIX_PORT" \
		--mysql-user="$MATRIX_USER" --mysql-db=shop --threads=1 --time=0 --events="$MATRIX_ROUNDS" "$@" run)
}

# --- PostgreSQL ---------------------------------------------------------------------------------------------

send_postgresql_psycopg() { load_py psycopg; }
send_postgresql_asyncpg() { load_py asyncpg; }
send_postgresql_perl-dbi() { load_pl pg; }
send_postgresql_pgjdbc() { load_java postgresql.jar postgresql; }
send_postgresql_npm-pg() { load_js pg; }
send_postgresql_psql() { texts | in_tree psql -X -q -h 127.0.0.1 -p "$MATRIX_PORT" -U "$MATRIX_USER" -d shop -At 2>&1 | refused nothing; }
send_postgresql_pgbench() { # a script is one transaction of it, so all rounds are one
	texts >"$run/pgbench.$MATRIX_FIRST"
	in_tree pgbench -n -h 127.0.0.1 -p "$MATRIX_PORT" -U "$MATRIX_USER" -c 1 -t 1 -M simple -f "$run/pgbench.$MATRIX_FIRST" shop
}

# --- Redis and Valkey ---------------------------------------------------------------------------------------

redis_tls() { [ "$MATRIX_MODE" != tls ] || echo --tls --insecure; }
# shellcheck disable=SC2046
send_redis_redis-cli() { texts '' | in_tree redis-cli -p "$MATRIX_PORT" $(redis_tls) 2>&1 | refused WRONGTYPE; }
send_redis_pipe() { # as mass insertion does it, 100 commands at a time; a reply that is an error is its exit status 1
	texts '' | sed 's/$/\r/' | split -l 100 --filter="chroot '$(tree_root "$tree")/' redis-cli -p $MATRIX_PORT --pipe || :" 2>&1 |
		refused 'WRONGTYPE\|errors: '
}
send_redis_npm-redis() { load_js redis; }
send_redis_npm-ioredis() { load_js ioredis; }
# A line is a run of redis-benchmark, with the number that the other clients send of it; %d is a random number.
send_redis_benchmark() {
	lines | while IFS=$(printf '\t') read -r times _ text; do
		# shellcheck disable=SC2046,SC2086
		in_tree redis-benchmark -q -p "$MATRIX_PORT" $(redis_tls) -c 1 -r 1000 -n "$times" ${text//%d/__rand_int__} 2>&1 || exit 1
	done | refused WRONGTYPE
}

# --- HTTP ---------------------------------------------------------------------------------------------------

http_url() { [ "$MATRIX_MODE" = tls ] && echo "https://127.0.0.1:$MATRIX_PORT" || echo "http://127.0.0.1:$MATRIX_PORT"; }
send_http_ab() {
	lines | while IFS=$(printf '\t') read -r times _ path; do
		in_tree ab -q -k -n "$times" -c 1 "$(http_url)${path//%d/$MATRIX_FIRST}" >>"$logs/ab.$MATRIX_FIRST" || exit 1
	done
}
send_http_wrk() { # wrk knows no number of requests: its script ends it after them, or wrk itself after 2 minutes
	in_tree wrk -t 1 -c 1 -d 120 -s "$run/tools/wrk.lua" "$(http_url)"
}
send_http_curl() { # one process, one connection
	set -- -sS --noproxy '*' -k --http1.1
	[ "$MATRIX_MODE" != gzip ] || set -- "$@" --compressed
	texts '' | sed "s|.*|url = \"$(http_url)&\"\noutput = /dev/null|" | in_tree curl "$@" -K -
}
