#!/usr/bin/env bash
# How many instructions ten rows of the tables take, as callgrind counts them: other than seconds, they do not depend
# on how busy the machine is. With a number for each row in `instructions.txt`, the change against it is printed.
#
#     cargo build --release -p rely && benchmarks/instructions.sh
set -euo pipefail
cd "$(dirname "$0")"
rely=${1:-../target/release/rely}
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
count() {
    env -i "PATH=$PATH" valgrind --tool=callgrind --callgrind-out-file="$output/callgrind" \
        "$rely" check --property assert --no-cache "$@" > "$output/said" 2> "$output/counted" || true
    if ! sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$output/counted" | grep .; then
        cat "$output/counted" >&2
        return 1
    fi
}

printf '| row | before | now | change | with a second look |\n|---|---|---|---|---|\n'
while read -r engine program before; do
    now=$(count --trust passes --engine "$engine" "$program")
    again=$(count --engine "$engine" "$program")
    awk -v row="$program" -v before="$before" -v now="$now" -v again="$again" 'BEGIN {
        printf "| `%s` | %d | %d | %+.1f %% | %d |\n", row, before, now, 100 * (now - before) / before, again
    }'
done < instructions.txt
