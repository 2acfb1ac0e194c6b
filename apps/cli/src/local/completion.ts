import type { Commands } from '#/commands.ts'
import type { Context } from '#/context.ts'
import { EXIT, type ExitCode } from '#/exit.ts'
import { GLOBAL_OPTIONS } from '#/args/globals.ts'

/** Answers the shell: one word a line. */
export function printCandidates(
  words: readonly string[],
  commands: Commands,
  { terminal }: Context,
): ExitCode {
  terminal.out(
    candidates(words, commands)
      .map((candidate) => `${candidate}\n`)
      .join(''),
  )
  return EXIT.ok
}

/** Words that may stand where the last of these stands. */
export function candidates(words: readonly string[], commands: Commands): readonly string[] {
  const last = words.at(-1) ?? ''
  const [first] = words
  if (words.length <= 1) return [...commands.names, 'help'].filter((name) => name.startsWith(last))
  if (first === 'help')
    return words.length > 2
      ? []
      : [...commands.names, ...commands.families.map(({ name }) => name)].filter((name) =>
          name.startsWith(last),
        )
  const command = commands.find(first ?? '')
  if (!command) return []
  const before = words.at(-2) ?? ''
  const option = [...command.arguments, ...command.options].find(({ name }) => before === `--${name}`)
  if (option && option.type !== 'boolean')
    return (option.choices ?? []).filter((choice) => choice.startsWith(last))
  if (!last.startsWith('-'))
    return argumentChoices(words, command.arguments).filter((choice) => choice.startsWith(last))
  return [
    ...command.options.map(({ name }) => `--${name}`),
    ...Object.keys(GLOBAL_OPTIONS).map((name) => `--${name}`),
  ].filter((name) => name.startsWith(last))
}

/** Choices of the argument that stands at this place, counted without options. */
function argumentChoices(
  words: readonly string[],
  fields: ReadonlyArray<{ readonly choices?: readonly string[] }>,
): readonly string[] {
  const position = words.slice(1, -1).filter((word) => !word.startsWith('-')).length
  return fields[position]?.choices ?? []
}

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
  zsh: `#compdef fleet
_fleet() {
  local -a reply
  reply=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- \${reply:#}
}
compdef _fleet fleet ./fleet
`,
  fish: `complete -c fleet -f -a '(fleet __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}
