// Mutations of locks that the managers made: each gives a code, or a graph of exactly what the file says.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Graph, type Reading, readDependencies } from '@fleet/lockfiles'
import { sampleShare, testSeed } from '@fleet/testing/sample'
import fc from 'fast-check'
import { parse as parseJsonc, type ParseError } from 'jsonc-parser'

/** Of each reader; a sample of them in every run, all with FLEET_TEST_WHOLE=1. */
const MUTATIONS = 10_000
const RUNS = Math.ceil(MUTATIONS / sampleShare(5))
/** A mutation of a lock of some kilobytes is read in less than a millisecond; a machine in need may take a hundred times as long. */
const CPU_MILLISECONDS = 1000
const GROWTH_BYTES = 256 * 1024 * 1024

type Files = Readonly<Record<string, string>>
type Reader = 'npm' | 'pnpm' | 'bun' | 'composer'

function recorded(reader: Reader): readonly Files[] {
  const text = readFileSync(new URL(`recorded/${reader}.json`, import.meta.url), 'utf8')
  const projects = JSON.parse(text) as ReadonlyArray<{ readonly files: Files }> // As record.ts writes them.
  return projects.map(({ files }) => files)
}

const LOCKS: Readonly<Record<Reader, readonly string[]>> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  bun: ['bun.lock'],
  composer: ['composer.lock'],
}

const readingOf = (reader: Reader, files: Files): Reading => {
  const { composer, javascript } = readDependencies(files)
  return reader === 'composer' ? composer : javascript
}

interface Mutation {
  readonly kind: 'remove' | 'repeat' | 'move' | 'replace' | 'cut' | 'digit'
  readonly from: number
  readonly to: number
  readonly length: number
  readonly piece: string
}

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('remove', 'repeat', 'move', 'replace', 'cut', 'digit'),
  from: place,
  to: place,
  length: fc.oneof(fc.nat(3), fc.nat(80), fc.nat(400)),
  piece: fc.constantFrom(
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\n',
    '  ',
    '\\',
    '0',
    'null',
    'true',
    '{}',
    '[]',
    '""',
    '-1',
    '1e9',
    '"__proto__":',
    '"constructor":',
    '__proto__: ',
    'node_modules/',
    'file:../',
    'link:..',
    'npm:',
    '&a ',
    '*a',
    '<<: ',
    '"dependencies":{},',
    '"packages":{},',
    '"version":"9.9.9",',
    '//',
    '/*',
    '\u0000',
    '\u2028',
    '\uD800',
    '!!binary ',
  ),
})

/** Changes the text at one place, or in two that exchange their content. */
function mutated(text: string, { kind, from, to, length, piece }: Mutation): string {
  const start = Math.floor(from * text.length)
  const end = Math.min(text.length, start + length)
  const part = text.slice(start, end)
  const target = Math.floor(to * text.length)
  if (kind === 'remove') return text.slice(0, start) + text.slice(end)
  if (kind === 'repeat') return text.slice(0, target) + part + text.slice(target)
  if (kind === 'cut') return text.slice(0, start)
  if (kind === 'replace') return text.slice(0, start) + piece + text.slice(end)
  if (kind === 'digit')
    return text.slice(0, start) + text.slice(start).replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`)
  const without = text.slice(0, start) + text.slice(end)
  const at = Math.floor(to * without.length)
  return without.slice(0, at) + part + without.slice(at)
}

/** The value of a lock as another parser reads it; undefined where that refuses the text. Nothing is known of YAML. */
function valueOf(reader: Reader, text: string): unknown {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (reader === 'bun') {
    const errors: ParseError[] = []
    const value: unknown = parseJsonc(plain, errors, { allowTrailingComma: true })
    return errors.length > 0 ? undefined : value
  }
  try {
    return JSON.parse(plain)
  } catch {
    return undefined
  }
}

function requireSound({ resolutions, requirements }: Graph): void {
  const ids = new Set(resolutions.map(({ id }) => id))
  assert.equal(ids.size, resolutions.length, 'an id stands twice')
  for (const { source, target, kind, optional } of requirements) {
    assert.ok(source === undefined || ids.has(source), 'a requirement of a package that does not exist')
    assert.ok(target === undefined || ids.has(target), 'a requirement that leads to nothing')
    assert.ok(kind === 'dependency' || kind === 'peer')
    assert.equal(typeof optional, 'boolean')
  }
}

const READERS = Object.keys(LOCKS) as readonly Reader[] // The keys of a table over Reader.

for (const reader of READERS) {
  const projects = recorded(reader)

  test(`${RUNS} mutations of real locks of ${reader} each give a code or what the file says, in bounded time and memory`, () => {
    const before = process.memoryUsage().rss
    const seen = { read: 0, failed: 0 }
    const property = (at: number, mutations: readonly Mutation[], isManifest: boolean): void => {
      const files = projects[at % projects.length] ?? {}
      const lock = LOCKS[reader].find((name) => name in files) ?? ''
      const manifest = reader === 'composer' ? 'composer.json' : 'package.json'
      const name = isManifest ? manifest : lock
      const text = mutations.reduce(mutated, files[name] ?? '')
      const began = process.cpuUsage()
      const reading = readingOf(reader, { ...files, [name]: text })
      const { user, system } = process.cpuUsage(began)
      assert.ok((user + system) / 1000 < CPU_MILLISECONDS, 'too slow')
      if (reading.status === 'failed') {
        seen.failed += 1
        assert.notEqual(reading.check, 'reader', 'a reader did not foresee this')
        return
      }
      assert.equal(reading.status, 'read')
      if (reading.status !== 'read') return
      seen.read += 1
      requireSound(reading.graph)
      if (reader === 'pnpm' && !isManifest) return requireKeys(reading.graph, text)
      const value = valueOf(isManifest ? 'npm' : reader, text)
      assert.notEqual(value, undefined, 'a text that another parser refuses')
      // Read once more from its value alone: nothing of the text has another meaning than its value.
      const again = readingOf(reader, { ...files, [name]: JSON.stringify(value) })
      assert.deepEqual(again, reading)
    }
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        fc.nat(9),
        (at, list, chance) => property(at, list, chance === 0),
      ),
      { seed: testSeed(), numRuns: RUNS },
    )
    assert.ok(seen.failed > 0 && seen.read > 0, JSON.stringify(seen))
    assert.ok(process.memoryUsage().rss - before < GROWTH_BYTES, 'too much memory')
  })
}

/** Every package of a pnpm graph has its name and its version in the text. */
function requireKeys({ resolutions }: Graph, text: string): void {
  for (const { name, version } of resolutions) {
    assert.ok(text.includes(name), `${name} is not in the text`)
    assert.ok(text.includes(version), `${version} is not in the text`)
  }
}
