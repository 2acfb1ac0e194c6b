import { type ProgramEnd, runProgram } from '../programs.ts'

/** Only what the checkout itself says counts, nothing is asked of anybody, and nothing is written. */
const ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  HOME: '/nonexistent',
}

const SETTINGS = [
  // The checkout belongs to the managed user and the agent is another.
  'safe.directory=*',
  // What a checkout's own settings would have started as root.
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'diff.external=',
  // A larger file is counted without its lines (AGT-029).
  `core.bigFileThreshold=${1024 * 1024}`,
] as const

export type Setting = readonly [name: string, value: string]

export interface GitOptions {
  readonly signal: AbortSignal
  readonly settings?: readonly Setting[]
  readonly maxBytes?: number
  readonly each?: (chunk: Buffer) => boolean
}

/** Runs git in a checkout, reading only. Rejects where there is no git. */
export function git(path: string, words: readonly string[], options: GitOptions): Promise<ProgramEnd> {
  const { settings = [], ...rest } = options
  const configured = SETTINGS.flatMap((setting) => ['-c', setting])
  return runProgram(['git', '--no-pager', '--no-replace-objects', '-C', path, ...configured, ...words], {
    ...rest,
    environment: { ...ENVIRONMENT, ...numbered(settings) },
  })
}

/** A name may hold the sign that ends it on a command line. */
const numbered = (settings: readonly Setting[]): Readonly<Record<string, string>> => {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) }
  for (const [index, [name, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = name
    variables[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return variables
}

/** First line of an answer; undefined when git refuses. */
export async function gitLine(
  path: string,
  words: readonly string[],
  options: GitOptions,
): Promise<string | undefined> {
  const { status, output } = await git(path, words, options)
  return status === 0 ? output.toString('utf8').split('\n')[0] : undefined
}

/**
 * Settings that empty every filter of the checkout: a filter is a program that reading its state would start, and an
 * empty one passes files as they are.
 */
export async function withoutFilters(path: string, signal: AbortSignal): Promise<readonly Setting[]> {
  const words = [
    'config',
    '--null',
    '--name-only',
    '--get-regexp',
    '^filter\\..*\\.(clean|smudge|process|required)$',
  ]
  const { output } = await git(path, words, { signal })
  const names = new Set(
    output
      .toString('utf8')
      .split('\0')
      .filter((name) => name !== '')
      .map((name) => name.slice(0, name.lastIndexOf('.'))),
  )
  return [...names].flatMap((name) => [
    [`${name}.clean`, ''],
    [`${name}.smudge`, ''],
    [`${name}.process`, ''],
    [`${name}.required`, 'false'],
  ])
}
