/** The script that a shell reads; it asks `fleet __complete` for the words, so it never goes stale. */
export const completionScript = (shell: string): string => SCRIPTS[shell] ?? ''

const SCRIPTS: Readonly<Record<string, string>> = {
  // Bash takes the colon as the end of a word, so the part before it is cut from what is offered.
  bash: `_fleet() {
  local line=\${COMP_LINE:0:COMP_POINT} words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local current=\${words[-1]} reply
  mapfile -t reply < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local prefix=\${current%"\${current##*:}"}
    reply=("\${reply[@]#"$prefix"}")
  fi
  COMPREPLY=("\${reply[@]}")
}
complete -F _fleet fleet ./fleet
`,
  // Before compinit there is no compdef, and compinit forgets what was registered before it: then the first prompt registers.
  zsh: `#compdef fleet
_fleet() {
  local -a reply
  reply=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- \${reply:#}
}
if [[ \${funcstack[1]} == _fleet ]]; then
  _fleet "$@"
elif (( \${+functions[compdef]} )); then
  compdef _fleet fleet ./fleet
else
  _fleet_at_prompt() {
    add-zsh-hook -d precmd _fleet_at_prompt
    (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
    compdef _fleet fleet ./fleet
  }
  autoload -Uz add-zsh-hook
  add-zsh-hook precmd _fleet_at_prompt
fi
`,
  fish: `function __fleet_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  $words[1] __complete $words[2..-1] "$current" 2>/dev/null
end
complete -c fleet -f -a '(__fleet_complete)'
`,
}
