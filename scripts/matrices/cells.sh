# shellcheck shell=bash disable=SC2154,SC2034
# cells.sh - runs the matrix: a lane per server, in it a cell per client and mode.
#
#     run_matrix -> run_lane SERVER -> run_cell: send, wait for the counts, compare
#
# Every process that is started is noted in $work/pids and ended at the end, also after a signal.

# --- the table of cells -------------------------------------------------------------------------------------

wanted() { # NAME LIST: an empty list is all
	[ -z "$2" ] || case " $2 " in *" $1 "*) ;; *) return 1 ;; esac
}
in_list() { case ",$2," in *",$1,"*) ;; *) return 1 ;; esac; } # WORD A,B,C

# server client mode hows prepares pipes tree need: a line per cell that is wanted
cells_of() { # SERVER
	read -r _ family server_tree _ _ server_modes _ <<<"$(echo "$servers" | grep "^$1 ")"
	[ -z "$quick" ] || [ "$server_tree" = host ] || return 0
	echo "$clients" | while read -r client client_family client_tree hows prepares pipes pace client_modes need; do
		[ "$client_family" = "$family" ] && wanted "$client" "$only_clients" || continue
		[ -z "$quick" ] || [ "$pace" = quick ] || continue
		for mode in ${client_modes//,/ }; do
			in_list "$mode" "$server_modes" && wanted "$mode" "$only_modes" || continue
			[ -z "$quick" ] || in_list "$mode" "$quick_modes" || [ -n "$only_modes" ] || continue
			echo "$1 $client $mode $hows $prepares $pipes $client_tree $need"
		done
	done
}
quick_modes=plain,tls
server_names() { echo "$servers" | while read -r name _; do [ -z "$name" ] || ! wanted "$name" "$only_servers" || echo "$name"; done; }
list_cells() {
	for server in $(server_names); do cells_of "$server"; done |
		awk 'function row(server, client, mode, lines, tree, needs) { printf "%-15s %-13s %-10s %-24s %-9s %s\n", server, client, mode, lines, tree, needs }
			BEGIN { row("server", "client", "mode", "lines", "tree", "needs") } { row($1, $2, $3, $4, $7, $8) }'
}

# --- processes ----------------------------------------------------------------------------------------------

started_at() { cut -d ' ' -f 22 "/proc/$1/stat" 2>/dev/null; } # PID: a pid that was given again has another
note_pid() { echo "$1 $(started_at "$1")" >>"$work/pids"; }
stop_pid() { # PID: waits for its end
	kill "$1" 2>/dev/null
	for _ in $(seq 200); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.05
	done
	kill -KILL "$1" 2>/dev/null
}
end_matrix() {
	trap '' INT TERM HUP
	trap - EXIT
	if [ -n "$keep" ]; then echo "matrix: logs are in $work" >&2; fi
	exec 2>/dev/null	# the shell reports each that it ends
	for lane in $lanes; do kill -- "-$lane" 2>/dev/null; done
	# The last that was started is the first to end.
	[ ! -e "$work/pids" ] || tac "$work/pids" | while read -r pid since; do
		[ "$(started_at "$pid")" != "$since" ] || stop_pid "$pid"
	done
	for name in host $(echo "$trees" | cut -d ' ' -f 1); do
		rm -rf --one-file-system "$(tree_root "$name")$run"
	done
	[ -n "$keep" ] || rm -rf --one-file-system "$work"
}
wait_for() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}
free_port() { /usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

begin_server() { # PROGRAM...: in $tree, as $as_user; sets server_pid
	exec=exec in_tree "$@" </dev/null >>"$logs/server" 2>&1 &
	server_pid=$!
	note_pid "$server_pid"
}
begin_helper() { # LOG PROGRAM...
	log=$1
	shift
	"$@" </dev/null >>"$log" 2>&1 &
	helper=$!
	note_pid "$helper"
}

# --- Heatscope ----------------------------------------------------------------------------------------------

get() { curl -fsS --noproxy '*' --unix-socket "$work/http" "http://localhost/ca/instrumentations/$1"; }
is_active() { # ID: it counts every event of a slot that has begun
	get "$1" | jq --argjson now "$(date +%s)" '[.sources[] | select(.state == "active" or .state == "partial") | .counts_from] |
		length == 1 and .[0] != null and .[0] <= $now' | grep -q true
}
start_heatscope() {
	export HEATSCOPE_URL=unix:$work/http PATH="$build:$PATH"
	begin_helper "$work/heatscoped.log" "$build/heatscoped" --no-config --listen "unix:$work/http" --socket "$work/ingest" \
		--database "$work/heatscope.db"
	wait_for 10 heatscope list || return 1
	begin_helper "$work/collector.log" "$build/heatscope-collector" --socket "$work/ingest" --spool '' --budget 0
	collector=$helper
}
knows() { heatscope metrics | grep -q "^$1"; }
next_second() { sleep "$(date +%N | awk '{ printf "%.3f", 1.03 - $1 / 1e9 }')"; }

# --- a cell -------------------------------------------------------------------------------------------------

result() { # SENT COUNTED LOST DIGESTS VERDICT
	printf '%-14s %-12s %-9s %8s %8s %5s %7s  %s\n' "$server" "$client" "$mode" "$1" "$2" "$3" "$4" "$5"
	printf '%s\t' "$server" "$server_version" "$client" "$client_version" "$mode" "$1" "$2" "$3" "$4" >>"$work/results"
	printf '%s\n' "$5" >>"$work/results"
}
skip() { result - - - - "skipped: $*"; }
refused() { # WORD: of the output of a client, errors other than those that the load wants, which have this word
	! tee "$logs/output.$MATRIX_FIRST" | grep -iE 'error|fatal' | grep -v "$1"
}
send() { # FIRST ROUNDS: in a shell of its own
	tree=$client_tree
	export MATRIX_PORT=$client_port MATRIX_USER=$user MATRIX_MODE=$mode MATRIX_HOWS=$hows MATRIX_FIRST=$1 MATRIX_ROUNDS=$2
	export MATRIX_LOAD=$run/tools/$family.load MATRIX_CERT=$run/tools/cert.pem
	"send_${family}_$client"
}
lost_in() { get "$id/value/grid?start_time=$from&end_time=$to" | jq '.summary.lost'; } # of the window
compare() {
	window="start_time=$from&end_time=$to&stats=true"
	get "$id/value/raw?$window" >"$logs/value" && lost=$(lost_in) || return
	[ "$family" != mysql ] || get "$id/value/raw?$window&measure=rows" >"$logs/rows" || return
	[ "$family" != http ] || http_counters >"$logs/after"	# a server writes its log after it has answered
	/usr/bin/python3 "$source_dir/compare.py" "$family" --load "$tools/$family.load" --hows "$hows" \
		--prepares "$prepares" --pipes "$pipes" --mode "$mode" --rounds "$rounds" --connections "$n_connections" \
		--lost "$lost" --value "$logs/value" --rows "$logs/rows" --before "$logs/before" \
		--after "$logs/after" --version "$server_version" --digests "$build/test/tools/digest_lines" \
		>"$logs/compared" 2>"$logs/compare"
}
reported() { # every slot of the window has come: the collector may be late, as while another instrumentation is loaded
	get "$id/value/raw?start_time=$from&end_time=$to&timeout=0" | jq -e '.minreporting >= 1'
}
n_connections=2

run_cell() { # of the row in $client $mode $hows $prepares $pipes $client_tree
	logs=$server_logs/$client.$mode
	mkdir -p "$logs"
	user=matrix client_port=$port PGSSLMODE=disable
	case $mode in
	tls) user=secret client_port=${tls_port:-$port} PGSSLMODE=require ;;
	haproxy) client_port=$haproxy_port ;;
	pgbouncer) client_port=$pgbouncer_port ;;
	esac
	export PGSSLMODE
	next_second
	from=$(date +%s)
	"${family}_counters" >"$logs/before"
	senders=
	for i in $(seq 0 $((n_connections - 1))); do
		(send $((i * rounds)) "$rounds") >"$logs/client.$i" 2>&1 &
		note_pid $!
		senders="$senders $!"
	done
	failed=
	for pid in $senders; do wait "$pid" || failed=1; done
	"${family}_counters" >"$logs/after"
	to=$(($(date +%s) + 1))
	if [ -n "$failed" ]; then
		result - - - - "FAILED: the client: $(tail -qn 1 "$logs"/client.* | head -n 1 | cut -c 1-150)"
		return
	fi
	sleep "$(date +%N | awk '{ printf "%.3f", 1.3 - $1 / 1e9 }')"	# until the last slot has been sent
	wait_for 60 reported
	wait_for 10 compare
	IFS=$'\t' read -r sent counted lost digests verdict <"$logs/compared"
	result "${sent:--}" "${counted:--}" "${lost:--}" "${digests:--}" "${verdict:-FAILED: nothing to compare}"
}

# --- a lane: one server -------------------------------------------------------------------------------------

start_haproxy() {
	haproxy_port=$(free_port)
	printf '%s\n' defaults '	mode tcp' '	timeout connect 5s' '	timeout client 60s' '	timeout server 60s' 'listen all' \
		"	bind 127.0.0.1:$haproxy_port" "	server it 127.0.0.1:$port" >"$server_logs/haproxy.cfg"
	begin_helper "$server_logs/haproxy" haproxy -db -f "$server_logs/haproxy.cfg"
}
start_pgbouncer() {
	pgbouncer_port=$(free_port)
	mkdir -p "$run/$server.pgbouncer"
	chown postgres: "$run/$server.pgbouncer"
	printf '%s\n' '[databases]' "shop = host=127.0.0.1 port=$port" '[pgbouncer]' 'listen_addr = 127.0.0.1' "listen_port = $pgbouncer_port" \
		"unix_socket_dir = $run/$server.pgbouncer" 'auth_type = any' 'pool_mode = session' \
		'ignore_startup_parameters = extra_float_digits' >"$run/$server.pgbouncer/ini"
	sed -i "s/^shop = .*/& user=matrix/" "$run/$server.pgbouncer/ini"
	begin_helper "$server_logs/pgbouncer" setpriv --reuid=postgres --regid=postgres --init-groups pgbouncer "$run/$server.pgbouncer/ini"
}
start_server() { # sets what the cells of this server use
	home=$run/$server tree=$server_tree root=$(tree_root "$server_tree") as_user=
	mkdir -p "$root$home"
	cp "$certificates/cert.pem" "$certificates/key.pem" "$root$home/"
	chmod 755 "$root$run" "$root$home"
	port=$(free_port) tls_port=
	case $family in redis | http) tls_port=$(free_port) ;; esac
	"start_$start" || return 1
	tree=host
	wait_for 60 "${family}_answers" && "${family}_prepare" >"$logs/prepare" 2>&1 && PGSSLMODE=disable "${family}_connect" >"$logs/connect" 2>&1 &&
		server_version=$("${family}_version")
}
rounds_of() { # REQUESTS: of each connection, at least 20
	awk -F '\t' -v hows=",$hows," -v requests="$1" -v n="$n_connections" '!/^#/ && index(hows, "," $2 ",") { round += 1 / $1 }
		END { rounds = int(requests / round / n) + 1; print rounds < 20 ? 20 : rounds }' "$tools/$family.load"
}
skip_lane() { # REASON
	cells_of "$server" | while read -r _ client mode _; do client_version=- skip "$1"; done
}
run_lane() { # SERVER
	trap - EXIT INT TERM HUP
	set +m
	server=$1 server_version=- server_logs=$work/$1 logs=$work/$1
	mkdir -p "$server_logs"
	read -r _ family server_tree start version server_modes packages <<<"$(echo "$servers" | grep "^$server ")"
	cells_of "$server" >"$server_logs/cells"
	[ -s "$server_logs/cells" ] || return
	metric=$(metric_of "$family")
	# shellcheck disable=SC2086
	tree_has "$server_tree" $packages || { skip_lane "$server_tree has no $packages"; return; }
	start_server || { skip_lane "the server does not start: $(tail -n 1 "$logs/server")"; echo failed >>"$work/failed"; return; }
	wait_for 60 knows mysql.queries	# all metrics become known at the same time
	knows "$metric" || { skip_lane "this build has no metric $metric"; stop_pid "$server_pid"; return; }
	! grep -q ' haproxy ' "$server_logs/cells" || start_haproxy
	! grep -q ' pgbouncer ' "$server_logs/cells" || start_pgbouncer
	# A cell has fewer than 100 keys.  With a second measure, 1000 take more kernel memory than a collector allows.
	id=$(heatscope create "$metric" --by "$(fields_of "$family"),latency" --measures "$(measures_of "$family")" \
		--keys 500 --where "$("${family}_where")") ||
		{ skip_lane "no instrumentation"; echo failed >>"$work/failed"; return; }
	wait_for 90 is_active "$id" || { skip_lane "its instrumentation does not become active"; echo failed >>"$work/failed"; return; }
	share=$((requests / $(wc -l <"$server_logs/cells")))
	while read -r _ client mode hows prepares pipes client_tree need <&3; do
		client_version=-
		case $need in
		npm:*) [ -d "$npm/node_modules/${need#npm:}" ] || { skip "no $need"; continue; } ;;
		*) tree_has "$client_tree" "$need" || { skip "$client_tree has no $need"; continue; } ;;
		esac
		client_version=$(version_of "$client_tree" "$need")
		rounds=$(rounds_of "$share")
		run_cell
	done 3<"$server_logs/cells"
	stop_pid "$server_pid"
}
version_of() { # TREE PACKAGE or npm:NAME
	case $2 in
	npm:*) jq -r .version "$npm/node_modules/${2#npm:}/package.json" ;;
	*) tree=$1 in_tree dpkg-query -W -f '${Version}' "$2" ;;
	esac
}

# --- all of it ----------------------------------------------------------------------------------------------

install_all() { # into the trees that the wanted cells need; this machine's packages are scripts/packages' concern
	for server in $(server_names); do
		read -r _ _ server_tree _ _ _ packages <<<"$(echo "$servers" | grep "^$server ")"
		echo "$server_tree $packages"
		cells_of "$server" | awk '{ print $7, $8 }'
	done | sort -u >"$work/needs"
	for name in $(awk '$1 != "host" { print $1 }' "$work/needs" | sort -u); do
		# shellcheck disable=SC2046
		make_tree "$name" && open_tree "$name" && tree_install "$name" $(awk -v tree="$name" '$1 == tree { $1 = ""; print }' "$work/needs" | tr ' ' '\n' | sort -u) ||
			echo "matrix: $name is not complete; its cells are skipped" >&2
	done
	modules=$(awk 'sub(/^npm:/, "", $2) { print $2 }' "$work/needs" | sort -u)
	for module in $modules; do
		[ -d "$npm/node_modules/$module" ] || npm install --silent --prefix "$npm" "$module" >"$work/npm.log" 2>&1 || echo "matrix: npm has no $module" >&2
	done
}
keep_results() { # FILE: a cell's result takes the place of an older one; in the order of the tables
	mkdir -p "$(dirname "$1")" && touch "$1"
	for server in $(echo "$servers" | cut -d ' ' -f 1); do
		awk -F '\t' -v server="$server" '$1 == server { key = $3 FS $5; if (!(key in last)) order[++n] = key; last[key] = $0 }
			END { for (i = 1; i <= n; i++) print last[order[i]] }' "$1" "$work/results"
	done >"$work/results.new" && cp "$work/results.new" "$1"
}
run_matrix() {
	work=$(mktemp -d /tmp/matrix.XXXXXX) run=/var/tmp/matrix.$$ lanes='' opened='' npm=$trees_dir/npm tools=$top/test/tools/matrix
	certificates=$work/certificates
	trap end_matrix EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	chmod 755 "$work"
	mkdir "$certificates"
	requests=${requests:-$([ -n "$quick" ] && echo 10000 || echo 100000)}
	openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -keyout "$certificates/key.pem" -out "$certificates/cert.pem" 2>"$work/openssl.log"
	for name in client-cert cacert; do cp "$certificates/cert.pem" "$certificates/$name.pem"; done
	cp "$certificates/key.pem" "$certificates/client-key.pem"
	[ -n "$quick" ] || install_all
	for name in host $opened; do
		mkdir -p "$(tree_root "$name")$run/tools"
		chmod 777 "$(tree_root "$name")$run"
		cp "$tools"/* "$certificates/cert.pem" "$(tree_root "$name")$run/tools/"
	done
	: >"$work/results"
	start_heatscope || { echo "matrix: Heatscope does not start" >&2; tail -n 5 "$work"/*.log >&2; exit 1; }
	result_head
	set -m		# each lane is a process group, which ends as a whole
	for server in $(server_names); do
		run_lane "$server" </dev/null &
		lanes="$lanes $!"
		[ -n "$quick" ] || wait "$!"
	done
	# shellcheck disable=SC2086
	wait $lanes
	kill -0 "$collector" 2>/dev/null || { echo "matrix: the collector has ended: $(tail -n 1 "$work/collector.log")" >&2; echo failed >>"$work/failed"; }
	[ -n "$quick" ] && [ -z "$results" ] || keep_results "${results:-$trees_dir/results.tsv}"
	passed=$(grep -c '	passed$' "$work/results") skipped=$(grep -c '	skipped: ' "$work/results") failed=$(grep -c '	FAILED' "$work/results")
	[ ! -e "$work/failed" ] || failed=$((failed + $(wc -l <"$work/failed")))
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}
result_head() { printf '%-14s %-12s %-9s %8s %8s %5s %7s  %s\n' server client mode sent counted lost digests verdict; }
