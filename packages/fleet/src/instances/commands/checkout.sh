# What every script on a checkout starts with (GNU, BSD and BusyBox tools). Arguments: the root, the Project's folder in it, the
# name of the checkout, the id of its preparation, the seconds to wait for an earlier script. $receipt names the folder of
# receipts. A script ends with `say WORD`, after what else it has to answer.
umask 022
root=$1 folder=$2 name=$3 preparation=$4 patience=$5
shift 5
# Inside of it; `locate` says where else.
receipts=.git/$receipt

# say WORD: the answer.
say() { field answer "$1"; exit 0; }

# Says $1, or that the storage is to blame: by what was complained of, $2, or because folder $3 takes nothing now. What a
# broken fetch had written is gone by then, so that there may be room again. Lines of the other side are no complaints.
blame() {
  complaint=$(printf '%s\n' "$2" | grep -v '^remote: ')
  room=$3/.fleet-room
  # Unflushed "$room": it is written and removed again by the next attempt that fails.
  rm -f -- "$room"
  # What cannot be removed is not written to: it may be a link, to a pipe even.
  if ! exists "$room"; then complaint="$complaint $( (set -C && head -c 65536 /dev/zero >"$room") 2>&1)"; fi
  rm -f -- "$room"
  case $complaint in
    *'Read-only file system'*) say storage-read-only ;;
    *'No space left'* | *[Qq]'uota exceeded'*) say storage-full ;;
  esac
  say "$1"
}

exists() { [ -e "$1" ] || [ -L "$1" ]; }

# GNU and BusyBox know the first form, BSD the second.
ident() { stat -c '%d %i' -- "$1" || stat -f '%d %i' -- "$1"; }

# Afterwards every path is relative to the Project's folder, so a parent exchanged meanwhile cannot lead elsewhere.
enter() {
  cd -P -- "$root" || say root-missing
  above=$(pwd -P)
  exists "./$folder" || say folder-missing
  [ ! -L "./$folder" ] && cd -P -- "./$folder" || say unsafe
  [ "$(pwd -P)" = "${above%/}/$folder" ] || say unsafe
}

# From the root.
make_project_folder() {
  exists "./$folder" && return
  problem=$(mkdir -- "./$folder" 2>&1) || exists "./$folder" || blame failed "$problem" .
}

# What a file system calls itself, which it still does when its device has another number after a restart. GNU and BusyBox
# know it; nothing where it is not known.
storage() { stat -f -c %i -- "$1" | sed -n -e '/^0*$/d' -e '/^[0-9a-f]\{8,16\}$/p'; }

# The only ground on which anything is deleted: the receipt names the attempt and this very directory.
proven() {
  [ -d "$1" ] && [ ! -L "$1" ] && locate "$1" && [ ! -L "$marks" ] &&
    [ -f "$marks/preparation" ] && [ ! -L "$marks/preparation" ] || return 1
  stored=
  { read -r claimed && read -r stored; } <"$marks/preparation"
  this=$(ident "$1")
  [ "$claimed" = "$preparation $this" ] && return
  [ -n "$stored" ] && [ "$stored" = "$(storage "$1")" ] &&
    [ "${claimed%% *} ${claimed##* }" = "$preparation ${this##* }" ]
}

# require_proven DIRECTORY: says whether it is gone, or whether something else has its place.
require_proven() {
  proven "$1" && return
  exists "$1/.git" || say folder-missing
  say foreign
}

# The start of process $1 while it runs, which tells it from a later one with its number: field 22 where /proc exists.
born() {
  if [ -r "/proc/$1/stat" ]; then
    read -r fields <"/proc/$1/stat"
    # shellcheck disable=SC2086 # Several words.
    set -- ${fields##*) }
    # Dead, and kept only until its parent asks, which in a container may be never.
    case $1 in [ZX]) return ;; esac
    shift 19
    echo "$1"
  elif [ ! -r /proc/self/stat ]; then
    ps -o lstart= -p "$1" | tr -s ' ' _
  fi
}

# A script of an earlier request may still run after its connection was cut; two must not work on one checkout, nor may
# what a killed one left of its step.
claim() {
  waited=0
  locate "$1"
  [ -w "$marks" ] || chmod u+rwx "$marks"
  while [ -f "$marks/worker" ] && read -r pid since <"$marks/worker" &&
    [ "$pid" != $$ ] && [ -n "$since" ] && [ "$(born "$pid")" = "$since" ]; do
    [ "$waited" -lt "$patience" ] || say busy
    sleep 1
    waited=$((waited + 1))
  done
  # Before the first claim there was no step to leave anything.
  ! exists "$marks/worker" || end_strays
  # Unflushed "$marks/worker": after a restart of the machine no process is the one it names.
  rm -f -- "$marks/worker"
  (set -C && printf '%s %s\n' $$ "$(born $$)" >"$marks/worker")
}

# Unflushed {}: what comes back below a proven directory is wiped by the next attempt.
wipe() { find "$1" -mindepth 1 -maxdepth 1 ! -name "$2" -exec rm -rf -- {} +; }

wipe_git() { wipe "$own_git" "$receipt" && wipe "$marks" preparation; }

loosen() { find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \;; }

# unreadable DIRECTORY: a file or folder in it that this account may not read, so that a copy would lack it.
unreadable() { find "$1" ! -type l ! -readable -print -quit; }

# unremovable DIRECTORY: a folder of another account in it that has something in it, which this account cannot delete.
unremovable() { find "$1" -type d ! -uid "$(id -u)" ! -writable ! -empty -print -quit; }

# Deletes a proven directory, its receipt last, or what an interrupted erase left of one: empty folders and nothing else.
erase() {
  if proven "$1"; then
    wipe "$1" .git || { loosen "$1"; wipe "$1" .git; } || return 1
    wipe_git || { loosen "$own_git"; wipe_git; } || return 1
    rm -f -- "$marks/preparation" || return 1
    flush "$marks"
  fi
  if [ -d "$1" ] && [ ! -L "$1" ] && [ -d "$1/.git" ] && [ ! -L "$1/.git" ] && [ ! -L "$1/.git/$receipt" ]; then
    # Unflushed "$1/.git/$receipt/preparation.$preparation", "$1/.git/$receipt", "$1/.git": the next erase removes what comes back.
    rm -f -- "$1/.git/$receipt/preparation.$preparation"
    rmdir -- "$1/.git/$receipt"
    rmdir -- "$1/.git"
  elif [ -d "$1" ] && [ ! -L "$1" ]; then erase_link "$1"
  fi
  [ -L "$1" ] || remove_empty "$1"
  ! exists "$1"
}

# Renames only onto a free place. mv moves into a directory that appears meanwhile, so the result is looked at.
settle() {
  exists "$2" && return 1
  hold "$1"
  if mv --version >/dev/null; then mv -nT -- "$1" "$2"; else mv -n -- "$1" "$2"; fi
  inside=$2/${1##*/}
  if proven "$inside"; then mv -n -- "$inside" "$1"; fi
  flush_names "$2"
  relink "$2"
  ! exists "$1" && proven "$2"
}

# Everything on the storage of a path: the record is to claim nothing that a power cut takes back.
flush_storage() { sync -f "$1" || sync; }

# Git of this checkout alone, without prompts, hooks, background work or protocols that run commands.
tame() {
  GIT_DIR=$(pwd -P)/.git
  if leads .; then GIT_DIR=$own_git; fi
  GIT_WORK_TREE=$(pwd -P)
  GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=false SSH_ASKPASS=false SSH_ASKPASS_REQUIRE=never
  GIT_ALLOW_PROTOCOL=https:ssh GIT_OPTIONAL_LOCKS=0
  export GIT_DIR GIT_WORK_TREE GIT_TERMINAL_PROMPT GIT_ASKPASS SSH_ASKPASS SSH_ASKPASS_REQUIRE
  export GIT_ALLOW_PROTOCOL GIT_OPTIONAL_LOCKS
  unset GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_COMMON_DIR
  disarm
  ssh=${GIT_SSH_COMMAND-}
  # Of the user or the system: the checkout's own is not asked.
  [ -n "$ssh" ] || [ -z "$own_ssh" ] || ssh=$(own_setting core.sshCommand)
  export GIT_SSH_COMMAND="${ssh:-ssh} -o BatchMode=yes -o ConnectTimeout=20"
}

# Sets $own_ssh where the user or the system names a program in the place of ssh, which is asked with the rest.
# Programs that the checkout's own settings name are not run: credentials come from nobody where the checkout names a helper, and a
# filter is what the user or the system has under its name, as Git LFS often is, or passes files as they are. By number, because a name may
# hold the sign that ends it on a command line.
disarm() {
  GIT_CONFIG_COUNT=0 own_ssh=
  settings=$(git config --show-scope --name-only --get-regexp \
    '^(filter\..*\.(clean|smudge|process|required)|credential\.(.*\.)?helper|core\.(alternaterefs|ssh)command)$')
  while read -r scope key; do
    case $scope in
      local | worktree) ;;
      *) [ "$key" != core.sshcommand ] || own_ssh=yes; continue ;;
    esac
    case $key in
      core.sshcommand) continue ;;
      *.required) setting=$(own_setting "$key") || setting=false ;;
      core.*) setting=true ;;
      credential.*) key=credential.helper setting='' ;;
      *) setting=$(own_setting "$key") ;;
    esac
    export "GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=$key" "GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=$setting"
    GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
  done <<SETTINGS
$settings
SETTINGS
  export GIT_CONFIG_COUNT
}
own_setting() { git config --global --get "$1" || git config --system --get "$1"; }
g() { g_reading "$@" </dev/null; }
# With standard input: every change of a reference would run a hook of the checkout too. $through starts it, where it is set.
through=
g_reading() {
  "${through:-command}" git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 -c maintenance.auto=false \
    -c submodule.recurse=false -c http.lowSpeedLimit=1 -c http.lowSpeedTime=60 "$@"
}
