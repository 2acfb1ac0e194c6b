import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** One setting of a process, as its env.ts exports it. */
interface Setting {
  readonly name: string
  readonly default: string
  readonly meaning: string
}

/** One process and its settings. */
export interface Process {
  readonly name: string
  readonly settings: readonly Setting[]
}

/** Reads `settings` of every apps/<name>/src/env.ts. Throws when there is no such file, or one exports no settings. */
export async function readSettings(root: string): Promise<readonly Process[]> {
  const paths = globSync('apps/*/src/env.ts', { cwd: root }).toSorted()
  if (paths.length === 0) throw new Error('no apps/*/src/env.ts found')
  return Promise.all(
    paths.map(async (path) => {
      const module: unknown = await import(pathToFileURL(join(root, path)).href)
      return { name: path.split(/[\\/]/)[1] ?? path, settings: settingsOf(path, module) }
    }),
  )
}

/** `settings.md`: one table for each process. */
export const settingsPage = (processes: readonly Process[]): string =>
  `${[
    '# Settings',
    'Environment variables that each process reads, once, when it starts. A malformed value is reported and prevents the start. Generated from `apps/*/src/env.ts`: `npm run generate`.',
    ...processes.flatMap(({ name, settings }) => [
      `## ${name}`,
      [
        '| Name | Default | Meaning |',
        '| - | - | - |',
        ...settings.map((one) => `| \`${one.name}\` | ${cell(one.default)} | ${cell(one.meaning)} |`),
      ].join('\n'),
    ]),
  ].join('\n\n')}\n`

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function settingsOf(path: string, module: unknown): readonly Setting[] {
  const found: unknown = member(module, 'settings')
  if (!Array.isArray(found) || found.length === 0 || !found.every(isSetting))
    throw new Error(`${path} exports no table of settings`)
  return found
}

const isSetting = (value: unknown): value is Setting =>
  ['name', 'default', 'meaning'].every((key) => typeof member(value, key) === 'string')

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([name]) => name === key)?.[1]
}
