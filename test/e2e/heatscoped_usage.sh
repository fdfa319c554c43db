#!/bin/bash
# heatscoped_usage.sh - heatscoped refuses what it cannot do with one sentence, and exits: 2 for wrong
# usage, 1 for what it cannot start with.

set -u
bin=${builddir:-.}
dir=$(mktemp -d "${TMPDIR:-/tmp}/heatscope-usage-XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0

# refuses STATUS SENTENCE ARGUMENTS...
refuses()
{
	local status=$1 sentence=$2 have

	shift 2
	timeout 20 "$bin/heatscoped" "$@" >"$dir/out" 2>&1
	have=$?
	if [ $have = "$status" ] && grep -qF -- "$sentence" "$dir/out"; then
		echo "ok: $*"
	else
		echo "FAIL: $*: status $have, not $status; it says: $(cat "$dir/out")"
		failed=1
	fi
}

here="--no-config --database memory --listen unix:$dir/http --socket $dir/ingest"
echo "cube-slots: many" >"$dir/bad.yaml"
echo "colour: blue" >"$dir/unknown.yaml"
echo "this is no database, but a text of some length" >"$dir/text"
mkdir -p "$dir/text-folder/db-lock"
long=$(printf 'x%.0s' $(seq 200))

refuses 2 "unrecognized option" --bogus
refuses 2 "there are only options" extra
refuses 2 "needs a number" --cube-slots many
refuses 2 "1 to 1000000" --cube-slots 0
refuses 2 "1 to 1000000" --cube-slots 99999999999
refuses 2 "requires an argument" --listen
refuses 2 "needs a value" --socket ""
refuses 1 "only loopback addresses" $here --listen 0.0.0.0:23181
refuses 1 "only loopback addresses" $here --listen [::]:23181
refuses 2 "needs a value" --token-file ""
refuses 1 "a Unix socket's path must have" $here --api-socket "/$long"
refuses 1 "is not an address to listen on" $here --listen localhost
refuses 1 "is not an address to listen on" $here --listen example.org:80
refuses 1 "is not an address to listen on" $here --listen 127.0.0.1:99999
refuses 1 "a Unix socket's path must have" $here --socket "/$long"
refuses 1 "there is no folder /nonexistent/folder (--socket)" $here --socket /nonexistent/folder/ingest
refuses 1 "there is no folder $dir/none (--listen)" $here --listen "unix:$dir/none/http"
refuses 1 "there is no folder $dir/none (--api-socket)" $here --api-socket "$dir/none/http"
refuses 1 "is not a socket" $here --socket "$dir/text"
refuses 1 "cannot be read: No such file" --config /nonexistent.yaml
hook() { printf 'webhooks:\n- name: ops\n  url: %s\n' "$1" >"$dir/hook.yaml"; }
hook http://ann:secret@169.254.169.254/latest
refuses 1 "$dir/hook.yaml: the webhook ops at line 2: its host is a link-local address" $here --config "$dir/hook.yaml"
hook "'http://[fe80::1]/'"
refuses 1 "its host is a link-local address" $here --config "$dir/hook.yaml"
hook https://ann:secret@hooks.example.net/
refuses 1 "the webhook ops at line 2: its host is not among webhook-hosts" $here --config "$dir/hook.yaml" --webhook-hosts other.example.net
grep -q "secret\|ann\|hooks.example" "$dir/out" && { echo "FAIL: a secret is printed: $(cat "$dir/out")"; failed=1; }
refuses 2 'for "webhook-hosts" is invalid' $here --webhook-hosts https://x/
refuses 1 "many" --config "$dir/bad.yaml"
refuses 1 "colour" --config "$dir/unknown.yaml"
refuses 1 "$dir/text-folder is a folder, not a file" --config "$dir/text-folder"
printf 'keep: true\n\nlisten: \377\n' >"$dir/bad.yaml"
refuses 1 "$dir/bad.yaml: line 3: " --config "$dir/bad.yaml"
refuses 1 "not a database" $here --database "$dir/text"
refuses 1 "cannot make $dir/text-folder/db-lock: Is a directory" $here --database "$dir/text-folder/db"
refuses 1 "there is no folder $dir/none (--database)" $here --database "$dir/none/db"
refuses 1 "cannot make $dir/text/db-lock: Not a directory" $here --database "$dir/text/db"
[ ! -e "$dir/none" ] || { echo "FAIL: a mistyped folder was made"; failed=1; }
if [ ! -e /var/lib/heatscope ] && [ "$(id -u)" != 0 ]; then
	refuses 1 "cannot make the folder /var/lib/heatscope: Permission denied; run it as root, or give --database PATH"
fi

# It serves without a page, and says so at the start and at /.
"$bin/heatscoped" $here --page "$dir/text-folder" 2>"$dir/log" &
daemon=$!
for _ in $(seq 200); do
	[ -S "$dir/http" ] && grep -q serving "$dir/log" && break
	sleep 0.05
done
curl --silent --max-time 20 --unix-socket "$dir/http" http://localhost/ >"$dir/out"
kill "$daemon"
wait "$daemon"
for file in log out; do
	grep -qF "the page is not built here: $dir/text-folder/index.html" "$dir/$file" && continue
	echo "FAIL: --page without a page; $file says: $(cat "$dir/$file")"
	failed=1
done
exit $failed
