// Locks that the managers made, and what they say of them: `record.ts` makes them again.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Graph, readDependencies, type Resolution, type Scope } from '@fleet/lockfiles'
import { agreementOf, edgesAsByBun, sorted } from './agreement.ts'
import type { ComposerRecorded } from './composer.ts'
import type { Manager, Recorded } from './managers.ts'
import {
  edgesByBun,
  edgesByComposer,
  reachedFrom,
  reportedByBun,
  reportedByNpm,
  reportedByPnpm,
} from './reported.ts'

const text = (name: string): string => readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')

const recordedByComposer = JSON.parse(text('composer')) as ComposerRecorded[] // As record.ts writes it.

const recorded = (manager: Manager): readonly Recorded[] => JSON.parse(text(manager)) as Recorded[] // As record.ts writes it.

function graphOf({ name, files }: Recorded): Graph {
  const { javascript } = readDependencies(files)
  return javascript.status === 'read'
    ? javascript.graph
    : assert.fail(`${name}: ${JSON.stringify(javascript)}`)
}

for (const one of recorded('npm'))
  test(`npm agrees about ${one.name}`, () => {
    assert.deepEqual(agreementOf(graphOf(one)), reportedByNpm(one))
  })

for (const one of recorded('pnpm'))
  test(`pnpm agrees about ${one.name}`, () => {
    assert.deepEqual(agreementOf(graphOf(one)), reportedByPnpm(one))
  })

// Its list has neither requirements nor scopes, and leaves out packages of other platforms.
for (const one of recorded('bun'))
  test(`Bun agrees about ${one.name}`, () => {
    const graph = graphOf(one)
    assert.deepEqual(sorted(foldersOf(graph, 'any')), sorted(reportedByBun(one).map(asVersion)))
    const regular = installedFrom(graph, 'regular').map(({ name, version }) =>
      asInstalled(`${name}@${version}`),
    )
    assert.deepEqual(sorted(regular), sorted(one.regular.split('\n').filter(Boolean)))
    const known = new Set(installedFrom(graph, 'regular').map(({ id }) => id))
    for (const { id, regular: isRegular } of installedFrom(graph, 'any'))
      assert.equal(isRegular, known.has(id), id)
    const theirs = edgesByBun(one).map((edge) => edge.replace(/^\S+|\S+$/g, asVersion))
    assert.deepEqual(edgesAsByBun(graph), sorted(theirs))
    const isDeveloped = (edge: string): boolean => /^project > (?:optional |peer )*dev /.test(edge)
    assert.deepEqual(agreementOf(graph).development, reachedFrom(isDeveloped, theirs))
  })

/** What a machine with Linux installs: packages of other platforms, and what only they require, are left out. */
function installedFrom({ resolutions, requirements }: Graph, from: Scope | 'any'): readonly Resolution[] {
  const byId = new Map(resolutions.map((one) => [one.id, one]))
  const seen = new Set<string | undefined>([undefined])
  for (const at of seen)
    for (const { source, target, name, scope } of requirements) {
      const isWanted = source !== undefined || from === 'any' || scope === from
      if (source === at && target !== undefined && isWanted && !/^native-(?:darwin|win32)/.test(name))
        seen.add(target)
    }
  return [...seen].flatMap((id) => byId.get(id ?? '') ?? [])
}

/** `alias@version` of every installed package, as Bun names its folders. */
function foldersOf(graph: Graph, from: Scope | 'any'): readonly string[] {
  const installed = new Map(installedFrom(graph, from).map(({ id, version }) => [id, version]))
  return graph.requirements.flatMap(({ source, target, name }) => {
    const version = target === undefined ? undefined : installed.get(target)
    return version === undefined || (source !== undefined && !installed.has(source))
      ? []
      : [`${name}@${version}`]
  })
}

/** The version that the reader gives to what Bun prints an address of. */
const asVersion = (label: string): string =>
  label
    .replace(/@git\+.*#/, '@')
    .replace(
      /@(http.*)$/,
      (_, address: string) => `@bun:sha256:${createHash('sha256').update(address).digest('hex')}`,
    )

/** The lock has no version of what comes from an address; here it is always 1.0.0. */
const asInstalled = (label: string): string => label.replace(/@(?:bun:sha256:.*|[0-9a-f]{40})$/, '@1.0.0')

for (const one of recordedByComposer)
  test(`Composer agrees about ${one.name}`, () => {
    const { composer } = readDependencies(one.files)
    const graph = composer.status === 'read' ? composer.graph : assert.fail(JSON.stringify(composer))
    const [all, regular] = [one.all, one.regular].map(packagesOf)
    assert.deepEqual(agreementOf(graph).packages, all)
    assert.deepEqual(agreementOf(graph).regular, regular)
    const developed = new Set(agreementOf(graph).development)
    assert.deepEqual(
      all?.filter((name) => !regular?.includes(name) && !developed.has(name)),
      [],
    )
    const declared = graph.requirements.flatMap(({ source, name }) =>
      source === undefined ? [] : [`${source} > ${name}`],
    )
    assert.deepEqual(sorted(declared), requiredIn(one.tree))
    for (const { id } of graph.resolutions) {
      // Composer leaves out who is satisfied by what the package provides, and the project by what it replaces.
      const replaced = new Set(replacedBy(one, id))
      const found = graph.requirements.filter(
        ({ source, target, name }) =>
          target === id && (name === id || (source !== undefined && replaced.has(name))),
      )
      const edges = found.map(
        ({ source = 'acme/site', scope, name, constraint }) =>
          `${source} > ${scope === 'development' ? 'dev ' : ''}${name}: ${constraint}`,
      )
      assert.deepEqual(sorted(edges), edgesByComposer(one.depends[id] ?? ''), id)
    }
    assert.doesNotMatch(JSON.stringify(composer), /secret|packages\.test|git\.test/)
  })

/** Names that a package of the lock replaces, as its entry says. */
function replacedBy({ files }: ComposerRecorded, id: string): readonly string[] {
  const lock = JSON.parse(files['composer.lock'] ?? '') as Record<string, unknown> // As Composer writes it.
  const entries = [lock['packages'], lock['packages-dev']].flat() as ReadonlyArray<{
    readonly name: string
    readonly replace?: object
  }>
  return entries.flatMap(({ name, replace }) => (name.toLowerCase() === id ? Object.keys(replace ?? {}) : []))
}

interface Shown {
  readonly name: string
  readonly version: string
  readonly requires?: readonly Shown[]
}

/** Composer prints a list of what it found, or an empty list. */
function shown(text: string, member: 'locked' | 'installed'): readonly Shown[] {
  if (text.trim() === '') return []
  const printed = JSON.parse(text) as Partial<Record<typeof member, readonly Shown[]>> // As Composer prints it.
  return printed[member] ?? []
}

const packagesOf = (text: string): readonly string[] =>
  sorted(shown(text, 'locked').map(({ name, version }) => `${name.toLowerCase()}@${version.split(' ')[0]}`))

/** `package > name` of what every locked package requires; Composer prints a tree for each requirement of the root. */
function requiredIn(tree: string): readonly string[] {
  const edges: string[] = []
  const walk = ({ name, requires = [] }: Shown): void => {
    for (const one of requires) {
      edges.push(`${name.toLowerCase()} > ${one.name.toLowerCase()}`)
      walk(one)
    }
  }
  for (const one of shown(tree, 'installed')) walk(one)
  return sorted(edges)
}
