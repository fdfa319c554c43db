# shellcheck shell=bash disable=SC2154
# servers.sh - the servers of the matrix, and what each family of them does: start, prepare (data and users), counters
# (before and after a cell) and the predicate that finds the server.

# This machine's servers have the names of its versions (none if the package is not installed).
host_version() { # PACKAGE FORM: without epoch, as much as FORM
	dpkg-query -W -f '${db:Status-Abbrev} ${Version}\n' "$1" 2>/dev/null |
		sed -n 's/^[ih]i *\([0-9]*:\)\{0,1\}//p' | grep -Eo "^$2" || echo none
}
host_mariadb=$(host_version mariadb-server-core '[0-9]+\.[0-9]+') host_redis=$(host_version redis-server '[0-9]+')
host_nginx=$(host_version nginx-light '[0-9]+\.[0-9]+') host_apache=$(host_version apache2-bin '[0-9]+\.[0-9]+')
host_postgres=$(for bin in /usr/lib/postgresql/*/bin/postgres; do echo "$bin"; done | cut -d / -f 5 | sort -n | tail -n 1)
[ "$host_postgres" != '*' ] || host_postgres=none

# name, family, tree, how it starts, its version or name there, modes, packages.  A server of this machine takes the
# place of the same one in a chroot.
servers=$(awk 'NF && !seen[$1]++' <<END
mariadb-$host_mariadb mysql host  mariadbd  -  plain,tls,zlib,haproxy       mariadb-server-core
mariadb-11.8  mysql      debian13 mariadbd  -  plain,tls,zlib,haproxy       mariadb-server-core
mysql-9.7     mysql      sid      mysqld    -  plain,tls,zlib,zstd,haproxy  mysql-server-core
postgresql-$host_postgres postgresql host postgres $host_postgres plain,tls,haproxy,pgbouncer postgresql-$host_postgres
postgresql-17 postgresql debian13 postgres  17 plain,tls,haproxy,pgbouncer  postgresql-17
postgresql-18 postgresql sid      postgres  18 plain,tls,haproxy,pgbouncer  postgresql-18
redis-$host_redis redis  host     redis     redis  plain,tls,haproxy        redis-server
redis-8       redis      debian13 redis     redis  plain,tls,haproxy        redis-server
valkey-8      redis      debian13 redis     valkey plain,tls,haproxy        valkey-server
valkey-9      redis      sid      redis     valkey plain,tls,haproxy        valkey-server
nginx-$host_nginx http   host     nginx     -  plain,tls,gzip,haproxy       nginx-light
nginx-1.26    http       debian13 nginx     -  plain,tls,gzip,haproxy       nginx-light
apache-$host_apache http host     apache    -  plain,tls,gzip,haproxy       apache2-bin
END
)
metric_of() { # FAMILY
	case $1 in
	mysql) echo mysql.queries ;;
	postgresql) echo postgresql.queries ;;
	redis) echo redis.commands ;;
	http) echo http.requests ;;
	esac
}
fields_of() { # FAMILY: the fields by which counts are kept apart; compare.py knows them
	case $1 in
	mysql) echo command,statement,digest,status ;;
	postgresql) echo command,digest,status ;;
	redis) echo command,status ;;
	http) echo method,path,status ;;
	esac
}
measures_of() { # FAMILY
	case $1 in
	mysql) echo latency,rows ;;
	*) echo latency ;;
	esac
}

# --- start: with $port, and data and certificate in $home, a folder within the tree ----------------------

start_mariadbd() {
	in_tree mariadb-install-db --no-defaults --user=root --auth-root-authentication-method=normal --skip-test-db \
		--datadir="$home/data" >"$logs/install" 2>&1 || return 1
	begin_server mariadbd --no-defaults --user=root --datadir="$home/data" --tmpdir="$home" --socket="$home/s" --port="$port" \
		--bind-address=127.0.0.1 --skip-name-resolve --transaction-isolation=READ-COMMITTED --innodb-flush-log-at-trx-commit=0 \
		--ssl-ca="$home/cert.pem" --ssl-cert="$home/cert.pem" --ssl-key="$home/key.pem"
}
start_mysqld() {
	in_tree mysqld --no-defaults --initialize-insecure --user=root --datadir="$home/data" >"$logs/install" 2>&1 || return 1
	begin_server mysqld --no-defaults --user=root --datadir="$home/data" --tmpdir="$home" --secure-file-priv="$home" --socket="$home/s" \
		--port="$port" --bind-address=127.0.0.1 --mysqlx=OFF --pid-file="$home/pid" --transaction-isolation=READ-COMMITTED \
		--innodb-flush-log-at-trx-commit=0 --ssl-ca="$home/cert.pem" --ssl-cert="$home/cert.pem" --ssl-key="$home/key.pem"
}
start_postgres() {
	bin=/usr/lib/postgresql/$version/bin
	in_tree chmod 600 "$home/key.pem"
	in_tree chown -R postgres: "$home"
	as_user=postgres
	in_tree "$bin/initdb" -D "$home/data" -A trust -U postgres --no-sync --no-locale -E UTF8 >"$logs/install" 2>&1 || return 1
	printf '%s\n' 'local all all trust' 'hostssl all secret all trust' 'hostnossl all matrix all trust' >"$root$home/data/pg_hba.conf"
	begin_server "$bin/postgres" -D "$home/data" -p "$port" -k "$home" -h 127.0.0.1 -c fsync=off -c ssl=on -c ssl_cert_file="$home/cert.pem" \
		-c ssl_key_file="$home/key.pem" -c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track=top
	as_user=
}

start_redis() {
	begin_server "$version-server" --bind 127.0.0.1 --port "$port" --unixsocket "$home/s" --dir "$home" --save '' --appendonly no \
		--enable-debug-command yes --tls-port "$tls_port" --tls-cert-file "$home/cert.pem" --tls-key-file "$home/key.pem" --tls-auth-clients no
}
# /slow/ is proxied to an upstream that answers after 50 ms.
start_nginx() {
	site "$home"
	cat >"$root$home/conf" <<END
user root;
worker_processes 2;
daemon off;
pid $home/pid;
events { worker_connections 512; }
http {
	log_format counted '\$server_port \$request_method \$uri \$status';
	access_log $home/access counted;
	client_body_temp_path $home; proxy_temp_path $home; fastcgi_temp_path $home; uwsgi_temp_path $home; scgi_temp_path $home;
	keepalive_requests 1000000;
	types { text/plain txt; }
	gzip on;
	gzip_min_length 1;
	gzip_types text/plain;
	upstream slow { server 127.0.0.1:$upstream_port; keepalive 8; }
	server {
		listen 127.0.0.1:$port;
		listen 127.0.0.1:$tls_port ssl;
		ssl_certificate $home/cert.pem;
		ssl_certificate_key $home/key.pem;
		root $home/www;
		location /pages/ { return 200 page; }
		location /slow/ { proxy_pass http://slow; proxy_http_version 1.1; proxy_set_header Connection ""; }
	}
}
END
	begin_server nginx -e "$home/error" -c "$home/conf"
}
start_apache() {
	site "$home"
	printf '%s\n' "ServerRoot $home" 'ServerName localhost' "PidFile $home/pid" "ErrorLog $home/error" "Mutex file:$home default" >"$root$home/conf"
	for module in mpm_event authz_core alias rewrite proxy proxy_http ssl filter deflate mime; do
		echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
	done >>"$root$home/conf"
	cat >>"$root$home/conf" <<END
LogFormat "%{local}p %m %U %>s" counted
CustomLog $home/access counted
Listen 127.0.0.1:$port
Listen 127.0.0.1:$tls_port
DocumentRoot $home/www
TypesConfig /dev/null
AddType text/plain .txt
AddOutputFilterByType DEFLATE text/plain
MaxKeepAliveRequests 0
KeepAliveTimeout 60
AliasMatch "^/pages/.*" $home/www/page
ProxyPass /slow/ http://127.0.0.1:$upstream_port/slow/
<Directory />
	Require all granted
</Directory>
<VirtualHost 127.0.0.1:$tls_port>
	DocumentRoot $home/www
	SSLEngine on
	SSLCertificateFile $home/cert.pem
	SSLCertificateKeyFile $home/key.pem
	AliasMatch "^/pages/.*" $home/www/page
	ProxyPass /slow/ http://127.0.0.1:$upstream_port/slow/
</VirtualHost>
END
	begin_server apache2 -f "$home/conf" -D FOREGROUND
}
site() { # FOLDER: the files of http.load, and the upstream
	mkdir -p "$root$1/www"
	echo hello >"$root$1/www/a.txt"
	echo page >"$root$1/www/page"
	head -c 700000 /dev/zero | tr '\0' x >"$root$1/www/big.txt"
	upstream_port=$(free_port)
	begin_helper "$server_logs/upstream" /usr/bin/python3 "$tools/upstream.py" "$upstream_port"
}

# --- the administrator: by the server's Unix socket, where no client comes -------------------------------

mysql_admin() { mariadb --no-defaults --skip-ssl --socket="$root$home/s" --user=root -N -B "$@"; }
postgresql_admin() { psql -X -h "$root$home" -p "$port" -U postgres -d "${base-shop}" -At "$@"; }
mysql_answers() { mysql_admin -e 'SELECT 1'; }
redis_admin() { redis-cli -s "$root$home/s" "$@"; }
redis_answers() { redis_admin ping; }
http_answers() { curl -fsS --noproxy '*' "http://127.0.0.1:$port/a.txt"; }
postgresql_answers() { base=postgres postgresql_admin -c 'SELECT 1'; }

# Each family has the same tables, and the users matrix, and secret, whom the server refuses without TLS.
mysql_prepare() {
	mysql_admin <<'END'
CREATE DATABASE shop;
USE shop;
CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20), n INT NOT NULL DEFAULT 0);
CREATE TABLE u (a INT, b VARCHAR(20), n INT NOT NULL DEFAULT 0, KEY (a));
INSERT INTO t (a, b) VALUES (1, 'one'), (2, 'two'), (3, 'three');
CREATE USER matrix@'%';
CREATE USER secret@'%' REQUIRE SSL;
GRANT ALL ON shop.* TO matrix@'%';
GRANT ALL ON shop.* TO secret@'%';
END
}
postgresql_prepare() {
	base=postgres postgresql_admin -q -c 'CREATE DATABASE shop' -c 'CREATE ROLE matrix LOGIN' -c 'CREATE ROLE secret LOGIN' &&
		postgresql_admin -q <<'END'
CREATE EXTENSION pg_stat_statements;
CREATE TABLE t (a int PRIMARY KEY, b text, n int NOT NULL DEFAULT 0);
CREATE TABLE u (a int, b text, n int NOT NULL DEFAULT 0);
CREATE INDEX ON u (a);
INSERT INTO t (a, b) VALUES (1, 'one'), (2, 'two'), (3, 'three');
GRANT ALL ON t, u TO matrix, secret;
END
}
redis_prepare() { redis_admin set key:1 1; }
http_prepare() { http_answers; }
# A connection to its TCP port: the collector looks for new listeners when it sees one, else once in 10 s.  Events of a server
# that is not listed yet do not fit an instrumentation of an `instance`.
mysql_connect() { :; }
postgresql_connect() { psql -X -h 127.0.0.1 -p "$port" -U matrix -d shop -At -c 'SELECT 1'; }
redis_connect() { redis-cli -p "$port" ping; }
http_connect() { http_answers; }

# The predicate of this server alone, and of the users that the clients log in as: a statement with another user is missing.
its_users='(user = "matrix" or user = "secret")'
mysql_where() { echo "pid = \"$server_pid\" and $its_users"; }
postgresql_where() { echo "instance = \"127.0.0.1:$port\" and $its_users"; }
redis_where() { echo "instance = \"127.0.0.1:$port\" or instance = \"127.0.0.1:$tls_port\""; }
http_where() { redis_where; }

# The server's own counters: name, tab, count.
mysql_counters() { mysql_admin -e "SHOW GLOBAL STATUS LIKE 'Com\\_%'"; }
postgresql_counters() {
	postgresql_admin -c "SELECT replace(regexp_replace(query, '[\n\t]', ' ', 'g'), '|', '!') || E'\t' || sum(calls) FROM pg_stat_statements
		WHERE query NOT LIKE '%pg_stat_statements%' GROUP BY query"
}
redis_counters() { redis_admin info commandstats | tr -d '\r' | sed -n 's/^cmdstat_\([^:]*\):calls=\([0-9]*\),.*/\1\t\2/p'; }
http_counters() { sort "$root$home/access" | uniq -c | awk '{ print $2 " " $3 " " $4 " " $5 "\t" $1 }'; }
mysql_version() { mysql_admin -e 'SELECT VERSION()'; }
postgresql_version() { postgresql_admin -c 'SHOW server_version'; }
redis_version() { redis_admin info server | tr -d '\r' | sed -n "s/^${version}_version://p"; }
http_version() {
	case $start in
	nginx) tree=$server_tree in_tree nginx -v 2>&1 | sed 's/.*nginx\///' ;;
	apache) tree=$server_tree in_tree apache2 -v | sed -n 's/.*Apache\/\([^ ]*\).*/\1/p' ;;
	esac
}
