// What npm, pnpm and Bun say of projects with published packages, beside what the readers find in their locks. It needs the
// registry that npm is set to, and some minutes: node tests/lockfiles/public.ts [npm] [pnpm] [bun].
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Graph, readDependencies } from '@fleet/lockfiles'
import { agreementOf, edgesAsByBun } from './agreement.ts'
import { type Manager, recordProject, type Recorded } from './managers.ts'
import { PUBLIC_PROJECTS } from './public-projects.ts'
import { edgesByBun, reportedByNpm, reportedByPnpm } from './reported.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')

const PROGRAMS: Readonly<Record<Manager, string>> = {
  npm: 'npm',
  pnpm: join(MODULES, 'pnpm/bin/pnpm.cjs'),
  bun: join(MODULES, '@oven/bun-linux-x64/bin/bun'),
}

/** Lines of one aspect, as the reader and as the manager have them. */
type Sides = readonly [readonly string[], readonly string[]]

function compared(manager: Manager, graph: Graph, recorded: Recorded): Readonly<Record<string, Sides>> {
  if (manager === 'bun') return { edges: [edgesAsByBun(graph), edgesByBun(recorded)] }
  const ours = agreementOf(graph)
  const theirs = manager === 'npm' ? reportedByNpm(recorded) : reportedByPnpm(recorded)
  return {
    packages: [ours.packages, theirs.packages],
    regular: [ours.regular, theirs.regular],
    development: [ours.development, theirs.development],
    edges: [ours.edges, theirs.edges],
  }
}

/** Lines that only one side has. */
const differences = (sides: Readonly<Record<string, Sides>>): readonly string[] =>
  Object.entries(sides).flatMap(([aspect, [ours, theirs]]) => [
    ...alone(ours, theirs).map((line) => `${aspect}, reader alone: ${line}`),
    ...alone(theirs, ours).map((line) => `${aspect}, manager alone: ${line}`),
  ])

function alone(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line))
}

const isManager = (word: string): word is Manager => Object.hasOwn(PROGRAMS, word)
const chosen = process.argv.slice(2).filter(isManager)
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()

for (const manager of chosen.length > 0 ? chosen : Object.keys(PROGRAMS).filter(isManager)) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-locks-'))
  try {
    for (const project of PUBLIC_PROJECTS.filter(({ not }) => !not?.includes(manager))) {
      const recorded = await recordProject({ manager, program: PROGRAMS[manager], folder, registry }, project)
      const { javascript } = readDependencies(recorded.files)
      if (javascript.status !== 'read')
        throw new Error(`${manager}, ${project.name}: ${JSON.stringify(javascript)}`)
      const found = differences(compared(manager, javascript.graph, recorded))
      const { resolutions, requirements } = javascript.graph
      console.log(
        `${manager}, ${project.name}: ${resolutions.length} packages, ${requirements.length} requirements,`,
        found.length === 0 ? 'the same' : `${found.length} lines differ`,
      )
      for (const line of found.slice(0, 20)) console.log(`  ${line}`)
      if (found.length > 0) process.exitCode = 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
