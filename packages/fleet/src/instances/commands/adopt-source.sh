# adopt source
# Arguments: after those of checkout.sh, the directory to adopt, the line to exclude, the checkout that a linked worktree is of, the
# application directory.
source=$1 exclude=$2 main=$3 directory=$4
problem=$(mkdir -p -- "$root" 2>&1) || blame root-unusable "$problem" "$root"
[ -w "$root" ] && cd -P -- "$root" || say root-unusable
command -v git >/dev/null || say git-missing
make_project_folder
enter
here=$(pwd -P)

adopted() {
  claim "./$name"
  repair "./$name" "$source" || blame failed '' .
  cd "./$name" && locate . || say foreign
  tame
  (rehome "$source" "${root%/}/$folder/$name" "$directory") || blame failed '' "$receipts"
  [ ! -L "$shared_git/info" ] && mkdir -p "$shared_git/info" && [ ! -L "$shared_git/info/exclude" ] || blame failed '' "$receipts"
  ignore || blame failed '' "$receipts"
  flush_storage . || blame failed '' "$receipts"
  copied=no
  # A rename leaves nothing there, so what else there is has come since.
  ! exists "$source" || [ ! -f "$marks/copied" ] || copied=yes
  field copied "$copied"
  field head "$(g symbolic-ref -q HEAD)"
  field commit "$(g rev-parse -q --verify 'HEAD^{commit}')"
  say adopted
}

if exists "./$name" && proven "./$name"; then adopted; fi
is_source "$source" || say absent
case $here/ in "$source/"*) [ "$source" = "$here/$name" ] || say holds-managed ;; esac
if [ "$source" = "$here/$name" ]; then
  mark "./$name" || blame failed '' .
  adopted
fi
exists "./$name" && say occupied

mark "$source" || blame failed '' .
if is_near; then
  settle "$source" "./$name" || { exists "./$name" && say occupied; blame failed '' .; }
  flush_names "$source"
  adopted
fi
erase "$work"
exists "$work" && say occupied
problem=$(copy 2>&1) || { erase "$work"; blame failed "$problem" .; }
before=$(content "$source") && [ "$(content "$work")" = "$before" ] || { erase "$work"; say changed; }
locate "$source"
former=$own_git
locate "$work"
printf '%s\n%s\n' "$before" "$former" >"$marks/copied" && flush_storage . || { erase "$work"; blame failed '' .; }
settle "$work" "./$name" || { erase "$work"; say occupied; }
adopted
