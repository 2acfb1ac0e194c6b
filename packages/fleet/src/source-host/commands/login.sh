# What a Git command logs in with. Standard input: `none`; or `token`, the URL and the header of a request; or `key`, the
# URL, the lines of known hosts up to an empty one, and the private key. Key and token stay in the memory of this shell and of
# the processes of one command.
login=none login_url=
block() { while IFS= read -r line && [ -n "$line" ]; do printf '%s\n' "$line"; done; }
read_login() {
  IFS= read -r login || login=none
  case $login in token | key) IFS= read -r login_url ;; *) login=none ;; esac
  case $login in
    token) IFS= read -r login_header ;;
    key)
      login_hosts=$(block)
      login_key=$(block)
      ;;
  esac
  exec </dev/null
}

# with_login COMMAND…: a program, not a function. An agent that ends with it holds the key: its memory cannot be read by other
# processes of the user, as a file could. Where the shell is killed, the agent notices within ten seconds.
with_login() (
  case $login in
    token)
      count=${GIT_CONFIG_COUNT:-0}
      server=${login_url#https://}
      export "GIT_CONFIG_KEY_$count=http.https://${server%%/*}/.extraHeader" "GIT_CONFIG_VALUE_$count=$login_header"
      # A server that refuses the token gets no other login.
      export "GIT_CONFIG_KEY_$((count + 1))=credential.helper" "GIT_CONFIG_VALUE_$((count + 1))="
      GIT_CONFIG_COUNT=$((count + 2))
      export GIT_CONFIG_COUNT
      "$@"
      ;;
    key)
      trap 'exit 143' HUP INT TERM
      agent_folder=$(mktemp -d) || exit 1
      # Unflushed "$agent_folder": it is a temporary folder, and what it holds is public.
      trap 'rm -rf -- "$agent_folder"' EXIT
      printf '%s\n' "$login_hosts" >"$agent_folder/hosts"
      GIT_SSH_COMMAND="ssh -F none -o BatchMode=yes -o ConnectTimeout=20 -o PreferredAuthentications=publickey \
-o IdentityFile=none -o StrictHostKeyChecking=yes -o UpdateHostKeys=no -o GlobalKnownHostsFile=none \
-o UserKnownHostsFile=$agent_folder/hosts"
      GIT_SSH_VARIANT=ssh
      export GIT_SSH_COMMAND GIT_SSH_VARIANT
      # shellcheck disable=SC2016 # Its own words.
      printf '%s\n' "$login_key" | ssh-agent -a "$agent_folder/agent" sh -c \
        'ssh-add -q -t 3600 - || exit 1; exec </dev/null; "$@"; ended=$?; ssh-agent -k >/dev/null; exit "$ended"' sh "$@"
      ;;
    *) "$@" ;;
  esac
)
