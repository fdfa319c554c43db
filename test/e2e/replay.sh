#!/bin/bash
# e2e/replay.sh - tests the whole pipeline without a kernel: a recording, two sources, heatscoped, its database.
#
# Holds: what one source hands over is counted once and what two hand over is counted twice, exactly,
# after clean stops and after SIGKILLs of heatscoped at random moments; two daemons do not share a
# database; a stop by SIGTERM exits 0 and leaves no socket behind.
#
# HEATSCOPE_ROUNDS: how often it is killed and replayed (default 5).  HEATSCOPE_SEED: repeats a run.

set -u
command -v curl >/dev/null || { echo "SKIP: curl is not installed"; exit 77; }
bin=${builddir:-.}
dir=$(mktemp -d "${TMPDIR:-/tmp}/heatscope-e2e-XXXXXX")
db=$dir/heatscope.db
rounds=${HEATSCOPE_ROUNDS:-5}
RANDOM=${HEATSCOPE_SEED:-20260101}
daemon= client= hello=

finish()
{
	for pid in $daemon $client $hello; do
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' INT TERM

fail()
{
	echo "FAIL: $*"
	sed 's/^/  heatscoped: /' "$dir/log" | tail -n 20
	exit 1
}

http()
{
	curl --silent --show-error --max-time 20 --unix-socket "$dir/http" "$@"
}

start()
{
	"$bin/heatscoped" --no-config --database "$db" --listen "unix:$dir/http" --socket "$dir/ingest" --page "$dir" 2>>"$dir/log" &
	daemon=$!
	for _ in $(seq 200); do
		http http://localhost/ca >/dev/null 2>&1 && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	fail "heatscoped does not answer"
}

stop()		# by SIGTERM, as a person would
{
	kill -TERM "$daemon"
	wait "$daemon"
	status=$?
	daemon=
	[ "$status" = 0 ] || fail "heatscoped ended with status $status"
	[ ! -e "$dir/http" ] && [ ! -e "$dir/ingest" ] || fail "a socket was left behind"
}

expect()	# what is in the database is N times the recording
{
	stop
	have=$("$bin/test/tools/make_recording" count "$db" "$inst") || fail "the database cannot be counted"
	want="events $((events * $1)) lost $((lost * $1)) slots $((slots * $1))"
	[ "$have" = "$want" ] || fail "$2: have $have, want $want"
	echo "ok: $2: $have"
	start
}

replay()	# source
{
	timeout 60 "$bin/heatscope-collector" --socket "$dir/ingest" --replay "$dir/recording" --source "$1" --once \
		2>>"$dir/collector.log"
}

# --- a recording of 900 slots that end now

read -r _ events _ lost _ slots <<<"$("$bin/test/tools/make_recording" write "$dir/recording" $(($(date +%s) - 900)) 900)"
[ "${events:-0}" -gt 1000 ] || fail "no recording"

# --- an instrumentation: a source must say hello first, so that its metric is known

start
coproc HELLO { exec "$bin/test/tools/make_recording" hello "$dir/ingest" hello; }
hello=$HELLO_PID
read -r -t 20 word <&"${HELLO[0]}" && [ "$word" = ready ] || fail "no answer to a hello"
made=$(http -X POST -H 'Content-Type: application/json' \
	-d '{"module": "mysql", "stat": "queries", "decomposition": ["command", "hostname", "latency"]}' \
	http://localhost/ca/instrumentations) || fail "no instrumentation"
inst=$(sed -n 's/.*"id": *"\([0-9]*\)".*/\1/p' <<<"$made" | head -n 1)
[ -n "$inst" ] || fail "no instrumentation: $made"
kill "$hello"
wait "$hello" 2>/dev/null
hello=

# --- one database, one daemon

"$bin/heatscoped" --no-config --database "$db" --listen "unix:$dir/http2" --socket "$dir/ingest2" 2>"$dir/second" &&
	fail "a second daemon took the same database"
grep -q "another heatscoped uses the database" "$dir/second" || fail "it says: $(cat "$dir/second")"
echo "ok: a second daemon is refused"

# --- once, twice

replay a || fail "the first replay"
expect 1 "one source"
replay b || fail "the second replay"
expect 2 "two sources"

value=$(http "http://localhost/ca/instrumentations/$inst/value/raw?start_time=$(($(date +%s) - 1000))&duration=990") ||
	fail "no value"
grep -q 'query/a' <<<"$value" && grep -q 'query/b' <<<"$value" || fail "the hosts are not in the keys: $value"
echo "ok: hosts are told apart"

# --- killed while it takes in

for round in $(seq "$rounds"); do
	replay "round$round" &
	client=$!
	for _ in $(seq $((RANDOM % 3 + 1))); do	# more often, and its pauses grow longer than our lives
		sleep "0.$(printf %03d $((RANDOM % 80)))"
		kill -0 "$client" 2>/dev/null || break
		kill -KILL "$daemon"
		wait "$daemon" 2>/dev/null
		kills=$((${kills:-0} + 1))
		start
	done
	wait "$client" || fail "replay $round: $(tail -n 3 "$dir/collector.log")"
	client=
done
expect $((2 + rounds)) "$rounds more sources, ${kills:-0} SIGKILLs"
stop
