# branch tip
# Arguments: after those of checkout.sh, the branch.
branch=$1
command -v git >/dev/null || say git-missing
enter
proven "./$name" || say foreign
cd "./$name" || say foreign
tame
tip=$(remote ls-remote origin "refs/heads/$branch" 2>/dev/null) || say unreachable
field tip "${tip%%[!0-9a-f]*}"
say read
