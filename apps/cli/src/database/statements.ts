/** What a person typed, once it is complete. */
export type Input =
  | { readonly kind: 'sql'; readonly sql: string }
  | { readonly kind: 'tables' }
  | { readonly kind: 'describe'; readonly table: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'quit' }

const COMMANDS: Readonly<Record<string, Input>> = {
  '\\dt': { kind: 'tables' },
  '\\d': { kind: 'tables' },
  '\\?': { kind: 'help' },
  '\\h': { kind: 'help' },
  help: { kind: 'help' },
  '\\q': { kind: 'quit' },
  exit: { kind: 'quit' },
  quit: { kind: 'quit' },
}

/** Lines of a prompt as statements. Where one ends is only a convenience: the gateway itself refuses a second one. */
export class Statements {
  #lines: readonly string[] = []

  /** A statement has begun and not ended. */
  get isOpen(): boolean {
    return this.#lines.length > 0
  }

  /** Forgets what has begun. */
  clear(): void {
    this.#lines = []
  }

  /** What the line completes. */
  add(line: string): readonly Input[] {
    const text = line.trim()
    if (!this.isOpen) {
      if (text === '') return []
      const command = commandOf(text)
      if (command) return [command]
    }
    this.#lines = [...this.#lines, line]
    return endsStatement(this.#lines.join('\n')) ? this.#taken() : []
  }

  /** What was typed without its end. */
  rest(): string | undefined {
    const [input] = this.#taken()
    return input?.kind === 'sql' ? input.sql : undefined
  }

  #taken(): readonly Input[] {
    const sql = this.#lines.join('\n').trim()
    this.#lines = []
    return sql === '' || sql === ';' ? [] : [{ kind: 'sql', sql }]
  }
}

function commandOf(text: string): Input | undefined {
  const table = /^\\d\s+(\S+)$/.exec(text)?.[1]
  if (table !== undefined) return { kind: 'describe', table: table.replace(/;$/, '') }
  const word = text.replace(/;$/, '').toLowerCase()
  if (Object.hasOwn(COMMANDS, word)) return COMMANDS[word]
  return text.startsWith('\\') ? { kind: 'help' } : undefined
}

// Quoted texts and comments, so that a semicolon inside does not end a statement.
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\//g

const endsStatement = (text: string): boolean => {
  const bare = text.replace(QUOTED, (quoted) => (/^(?:--|\/\*)/.test(quoted) ? ' ' : 'x'))
  return bare.trimEnd().endsWith(';') && !/['"`]/.test(bare)
}
