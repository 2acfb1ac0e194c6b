import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Report } from './tree.ts'

interface Ended {
  readonly output: string
  readonly status: number
}

/** Where the compiler keeps what it has checked, below the root: only what changed, and what it reaches, is checked again. */
export const TYPES_CHECKED = 'node_modules/.cache/fleet/types.tsbuildinfo'

/** Types by the TypeScript compiler, over the files that tsconfig.json names. */
export async function types(root: string): Promise<Report> {
  const kept = ['--incremental', '--tsBuildInfoFile', TYPES_CHECKED]
  const { output, status } = await run(root, 'tsc', [
    '--project',
    '.',
    '--pretty',
    'false',
    '--listFiles',
    ...kept,
  ])
  return readTypes(root, output, status)
}

/** Types and style by oxlint, with type information. */
export async function lint(root: string): Promise<Report> {
  const { output, status } = await run(root, 'oxlint', ['--type-aware', '--format', 'json'])
  return readLint(output, status)
}

/** Format by oxfmt. */
export async function format(root: string): Promise<Report> {
  const { output, status } = await run(root, 'oxfmt', ['--check', '.'])
  return readFormat(output, status)
}

export function readTypes(root: string, output: string, status: number): Report {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const listed = lines.filter((line) => line.startsWith('/') && !line.includes('/node_modules/'))
  const problems = lines.filter((line) => !line.startsWith('/')).map((line) => line.replace(`${root}/`, ''))
  return { seen: listed.length, unit: 'files', problems: failed(problems, status, output) }
}

interface LintOutput {
  readonly number_of_files: number
  readonly diagnostics: ReadonlyArray<{
    readonly message: string
    readonly code?: string
    readonly filename: string
    readonly labels: ReadonlyArray<{ readonly span: { readonly line: number } }>
  }>
}

export function readLint(output: string, status: number): Report {
  const start = output.indexOf('{')
  if (start === -1) return { seen: 0, unit: 'files', problems: failed([], status, output) }
  const end = output.lastIndexOf('}') + 1
  const parsed = JSON.parse(output.slice(start, end)) as LintOutput // The shape of a pinned program's output.
  const problems = parsed.diagnostics.map(
    ({ filename, labels, code, message }) =>
      `${filename}:${labels[0]?.span.line ?? 0}  ${code ?? 'syntax'}  ${message}`,
  )
  return { seen: parsed.number_of_files, unit: 'files', problems: failed(problems, status, output) }
}

export function readFormat(output: string, status: number): Report {
  const seen = Number(/ on (\d+) files?/.exec(output)?.[1] ?? 0)
  const unformatted = [...output.matchAll(/^(.+) \([\d.]+\s?(?:µs|us|ms|s)\)$/gm)].map(
    ([, path]) => `${path}  is not formatted: npm run format`,
  )
  return { seen, unit: 'files', problems: failed(unformatted, status, output) }
}

// A program that fails without a problem that could be read has failed itself.
const failed = (problems: readonly string[], status: number, output: string): readonly string[] =>
  status !== 0 && problems.length === 0 ? [`ended with status ${status}: ${output.slice(0, 2000)}`] : problems

// Some programs color what they write as soon as CI is set, terminal or not.
const plain = stripVTControlCharacters

function run(root: string, program: string, words: readonly string[]): Promise<Ended> {
  const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const child = spawn(program, words, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => parts.push(text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ output: plain(parts.join('')), status: status ?? 1 }))
  })
}
