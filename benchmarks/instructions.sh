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
printf '| row | before | now | change |\n|---|---|---|---|\n'
while read -r engine program before; do
    env -i "PATH=$PATH" valgrind --tool=callgrind --callgrind-out-file="$output/callgrind" \
        "$rely" check --property assert --engine "$engine" "$program" > "$output/said" 2> "$output/counted" || true
    now=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$output/counted")
    if [ -z "$now" ]; then
        cat "$output/counted" >&2
        exit 1
    fi
    awk -v row="$program" -v before="$before" -v now="$now" \
        'BEGIN { printf "| `%s` | %d | %d | %+.1f %% |\n", row, before, now, 100 * (now - before) / before }'
done < instructions.txt
