# lib.sh - what the end-to-end tests share: real programs in a folder of their own, TAP, and an orderly end.
#
#     . "$(dirname "$0")/../kit/lib.sh"
#     start_daemon; start_collector; id=$(create command,statement latency,cputime); ...; ok "what holds" COMMAND
#     finish

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${HEATSCOPE_BUILD:-$PWD}
dir=$(mktemp -d "${TMPDIR:-/tmp}/heatscope-e2e.XXXXXX")
n_tests=0 n_bad=0 daemon= collector= servers= postgresqls= https= helpers=
HEATSCOPE_URL=unix:$dir/http
export HEATSCOPE_URL
PATH=$build:$build/test/tools:$PATH

# `jq -e` of version 1.6 exits with 0 when it is given no input, so a test would pass after a request that failed.  From here on
# jq exits with 4 when -e gives no output, as version 1.7 does; also in a test's own shells.
jq_program=$(command -v jq)
mkdir "$dir/tools"
cat >"$dir/tools/jq" <<END
#!/bin/sh
for arg; do
	case \$arg in
	--exit-status | -[!-]*e* | -e*)
		out=\$(mktemp) || exit 2
		"$jq_program" "\$@" >"\$out"
		status=\$?
		[ "\$status" != 0 ] || [ -s "\$out" ] || status=4
		cat "\$out"
		rm -f "\$out"
		exit "\$status"
		;;
	esac
done
exec "$jq_program" "\$@"
END
chmod +x "$dir/tools/jq"
PATH=$dir/tools:$PATH

end() {
	trap - EXIT INT TERM
	for pid in $collector $daemon; do
		kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	for pid in $helpers; do		# what a test started besides
		kill "$pid" 2>/dev/null
	done
	for server in $servers; do
		"$top/scripts/mariadb" stop "$dir/$server" >/dev/null 2>&1
	done
	for server in $postgresqls; do
		"$top/scripts/postgresql" stop "$dir/$server" >/dev/null 2>&1
	done
	for server in $https; do
		stop_http "$server"
	done
	[ -n "${HEATSCOPE_KEEP-}" ] || rm -rf --one-file-system "$dir"
}

# A child that bash has just forked still has the traps.  If a signal comes then, they must not end the test.
is_main() { [ "${BASHPID:-$$}" = "$$" ]; }
trap 'is_main && end' EXIT
trap 'is_main && exit 1; kill -KILL "$BASHPID"' INT TERM

say() { printf '# %s\n' "$*"; }

# ok "what holds" COMMAND...: its output is shown when it fails.
ok() {
	what=$1
	shift
	n_tests=$((n_tests + 1))
	if "$@" >"$dir/ok.out" 2>&1; then
		printf 'ok %d - %s\n' "$n_tests" "$what"
	else
		n_bad=$((n_bad + 1))
		printf 'not ok %d - %s\n' "$n_tests" "$what"
		sed 's/^/#   /' "$dir/ok.out" | head -n 40
	fi
}

finish() {
	echo "1..$n_tests"
	[ "$n_bad" = 0 ]
	exit
}

skip_all() { # a stated limit of this machine
	echo "1..0 # SKIP $*"
	exit 77
}

give_up() {
	printf 'not ok %d - %s\n' $((n_tests + 1)) "$*"
	for log in "$dir"/*.log; do
		[ -f "$log" ] && { say "$log"; tail -n 15 "$log" | sed 's/^/#   /'; }
	done
	exit 1
}

# wait_until SECONDS COMMAND...
wait_until() {
	tries=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.05
	done
}

# An active instrumentation counts from the next whole slot on, and the values of a second begin with it: waits until
# just after that.
next_slot() { sleep "$(date +%N | awk '{ printf "%.3f", 1.03 - $1 / 1e9 }')"; }

need_bpf() {
	[ "$(id -u)" = 0 ] || skip_all "BPF needs root"
	[ -e /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no BTF"
}

start_daemon() { # [options of heatscoped]
	heatscoped --no-config --listen "unix:$dir/http" --socket "$dir/ingest" --database "$dir/heatscope.db" "$@" 2>>"$dir/heatscoped.log" &
	daemon=$!
	wait_until 10 heatscope list || give_up "heatscoped did not start"
}

stop_daemon() { kill "$daemon" && wait "$daemon"; daemon=; }

start_collector() { # [options of heatscope-collector]; counts are exact unless there is a budget
	heatscope-collector --socket "$dir/ingest" --spool "$dir/spool" --budget 0 "$@" 2>>"$dir/collector.log" &
	collector=$!
}

start_without() { # FEATURES [options of heatscope-collector]: one that takes the kernel to lack these
	HEATSCOPE_WITHOUT=$1
	export HEATSCOPE_WITHOUT
	shift
	start_collector "$@"
	unset HEATSCOPE_WITHOUT
}

stop_collector() { kill "$collector" && wait "$collector"; collector=; }

start_server() { # NAME [options of scripts/mariadb]: sets MARIADB_*
	name=$1
	shift
	servers="$servers $name"
	started=$("$top/scripts/mariadb" start "$dir/$name" "$@") || give_up "MariaDB did not start"
	eval "$started"
}

start_postgresql() { # NAME [options of scripts/postgresql]: sets POSTGRESQL_*
	name=$1
	shift
	chmod a+x "$dir"		# it runs as a user of its own
	postgresqls="$postgresqls $name"
	started=$("$top/scripts/postgresql" start "$dir/$name" "$@") || give_up "PostgreSQL did not start"
	eval "$started"
}

free_ports() { # N
	python3 -c 'import socket, sys; s = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]; print(*[x.getsockname()[1] for x in s])' "$1"
}

stop_http() { # NAME: a server whose process is in NAME.pid
	[ -f "$dir/$1.pid" ] || return 0
	read -r pid <"$dir/$1.pid" && kill "$pid" && wait_until 10 eval "! kill -0 $pid"
} 2>/dev/null

# redis-server: REDIS_PID, REDIS_SOCKET, and REDIS_PORT of 127.0.0.1.
start_redis() { # NAME [OPTION]...
	REDIS_SOCKET=$dir/$1.sock REDIS_PORT=$(free_ports 1)
	log=$dir/$1.log
	shift
	redis-server --bind 127.0.0.1 --port "$REDIS_PORT" --unixsocket "$REDIS_SOCKET" --dir "$dir" --save '' "$@" >"$log" 2>&1 &
	REDIS_PID=$!
	helpers="$helpers $REDIS_PID"
	wait_until 10 redis-cli -s "$REDIS_SOCKET" ping || give_up "redis-server did not start"
}

# nginx of 2 workers; FILE has the servers.  It runs as root, or its files would have to be the user's that it changes to.
start_nginx() { # NAME FILE
	mkdir -p "$dir/$1.tmp"
	cat >"$dir/$1.conf" <<END
user root;
worker_processes 2;
pid $dir/$1.pid;
error_log $dir/$1.log;
events { worker_connections 512; }
http {
	log_format counted '\$server_port \$request_method \$uri \$status';
	access_log $dir/$1.access counted;
	client_body_temp_path $dir/$1.tmp; proxy_temp_path $dir/$1.tmp; fastcgi_temp_path $dir/$1.tmp;
	uwsgi_temp_path $dir/$1.tmp; scgi_temp_path $dir/$1.tmp;
	include $2;
}
END
	https="$https $1"
	nginx -e "$dir/$1.log" -c "$dir/$1.conf" || give_up "nginx did not start"
	wait_until 10 test -s "$dir/$1.pid" || give_up "nginx has no process"
}

# Apache with this module of processes (event, prefork, worker); FILE has the rest of its configuration.
start_apache() { # NAME MPM FILE
	modules=$(find /usr/lib/apache2/modules /usr/lib64/httpd/modules -name mod_authz_core.so 2>/dev/null | head -n 1)
	cat >"$dir/$1.conf" <<END
ServerRoot $dir
ServerName localhost
PidFile $dir/$1.pid
ErrorLog $dir/$1.log
LoadModule mpm_$2_module ${modules%/*}/mod_mpm_$2.so
LoadModule authz_core_module $modules
Mutex file:$dir default
LogFormat "%{local}p %m %U %>s" counted
CustomLog $dir/$1.access counted
Include $3
END
	https="$https $1"
	apache2 -f "$dir/$1.conf" -k start || give_up "Apache did not start"
	wait_until 10 test -s "$dir/$1.pid" || give_up "Apache has no process"
}

# HAProxy before the MariaDB server that was started last: sets haproxy_ports, whose headers are PROXY 1, 2, and 2 with a TLV.  It
# connects from 127.8.8.8 and says in its header that the client is at 127.0.0.1.
start_haproxy() {
	haproxy_ports=$(free_ports 3)
	cat >"$dir/haproxy.cfg" <<END
global
	stats socket $dir/haproxy.sock mode 600
defaults
	mode tcp
	timeout connect 5s
	timeout client 60s
	timeout server 60s
END
	set -- $haproxy_ports
	for header in send-proxy send-proxy-v2 "send-proxy-v2 proxy-v2-options crc32c"; do
		cat >>"$dir/haproxy.cfg" <<END
listen p$1
	bind 127.0.0.1:$1
	server db 127.0.0.1:$MARIADB_PORT source 127.8.8.8 $header
END
		shift
	done
	haproxy -db -f "$dir/haproxy.cfg" >"$dir/haproxy.log" 2>&1 &
	helpers="$helpers $!"
	wait_until 10 test -S "$dir/haproxy.sock" || give_up "HAProxy"
}

get() { curl -fsS --noproxy '*' --unix-socket "$dir/http" "http://localhost/ca/instrumentations/$1"; }

is_active() { get "$1" | jq -e '[.sources[] | select(.state == "active" or .state == "partial")] | length > 0'; }	# partial: it samples

# create FIELDS MEASURES [KEYS [WHERE]]: an instrumentation that is active; prints its id.
create() {
	tries=200
	until made=$(heatscope create mysql.queries --by "$1" --measures "$2" --keys "${3:-64}" ${4:+--where "$4"} --retention 86400 2>"$dir/create.log"); do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || { cat "$dir/create.log" >&2; return 1; }
		sleep 0.05
	done
	wait_until 20 is_active "$made" || { heatscope show "$made" >&2; return 1; }
	echo "$made"
}

# Everything since a Unix time, all measures: stats ID FROM > FILE
stats() { get "$1/value/raw?start_time=$2&end_time=$(($(date +%s) - 1))&stats=true&measure=*"; }
