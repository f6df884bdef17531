#!/bin/sh
# How many lines the printed proof of each example has whose assertions hold, without the verdict above it, and the median.
#
#     benchmarks/proof-lines.sh [path of rely]
rely=${1:-target/release/rely}
cd "$(dirname "$0")/.." || exit 1
for file in examples/*.c examples/*.rely; do
    "$rely" check -q -p assert --proof "$file" 2> /dev/null | awk -v file="$file" '
        NR == 1 && !/: safe/ { exit }
        is_proof { lines++ }
        /^$/ { is_proof = 1 }
        END { if (lines) print lines, file }'
done | sort -n | awk '{ print; lines[NR] = $1 } END { print "median of " NR ": " lines[int((NR + 1) / 2)] }'
