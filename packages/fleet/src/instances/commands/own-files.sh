# Which files of a checkout are the fleet's own: $candidates are patterns of what a power cut leaves beside the environment file, a line each.
# besides FILE WORD…: a command of Git that ends with pathspecs, for all but the file and $candidates.
besides() {
  spared=$1
  shift
  set -- "$@" ":(top,exclude,literal)$spared"
  while IFS= read -r pattern; do set -- "$@" ":(top,exclude,glob)$pattern"; done <<END
$candidates
END
  g "$@"
}

# porcelain FILE OPTION…: what Git says of the work, FILE being the fleet's own.
porcelain() {
  own_file=$1 spare=$1.testing
  shift
  ! g ls-files --error-unmatch -- ":(top,literal)$spare" >/dev/null 2>&1 || spare=$own_file
  besides "$own_file" status --porcelain --untracked-files=all --ignore-submodules=none "$@" -- ":(top,exclude,literal)$spare"
}

# hidden FILE: whether Git has been told by the fleet of before not to look at files beside it that are somebody's.
hidden() {
  outdated=$(printf '%s\n' "$candidates" | head -n 1)
  outdated=${outdated%.fleet-*}'.fleet-*'
  besides "$1" ls-files --others -- ":(top,glob)$outdated" | g_reading check-ignore -v --stdin | grep -qF -e ":/$outdated	"
}
