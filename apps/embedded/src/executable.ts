import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Home } from './home.ts'

const MAIN = resolve(import.meta.dirname, '../../executable/src/main.ts')

/** The environment with a `fleet` on the PATH that is the executable of this checkout, as Nodes have one installed. */
export function withExecutable(
  home: Home,
  programs: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const bin = home.in('bin')
  mkdirSync(bin, { recursive: true, mode: 0o700 })
  const file = home.in('bin', 'fleet')
  writeFileSync(file, `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(MAIN)} "$@"\n`)
  chmodSync(file, 0o700)
  return { ...programs, PATH: [bin, programs['PATH']].filter(Boolean).join(':') }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
