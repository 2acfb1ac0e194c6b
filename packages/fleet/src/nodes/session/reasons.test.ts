import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import type { NodeScript } from '#/nodes/api.ts'

const SOURCES = resolve(import.meta.dirname, '../..')
type AnyScript = NodeScript<never, unknown>

const isScript = (value: unknown): value is AnyScript =>
  typeof value === 'object' && value !== null && 'source' in value && 'reasons' in value && 'read' in value

/** Every script that a module of the domains declares, by module and name. */
async function scripts(): Promise<ReadonlyMap<string, AnyScript>> {
  const found = new Map<string, AnyScript>()
  for (const path of globSync('**/commands/*.ts', { cwd: SOURCES, exclude: ['**/*.test.ts'] })) {
    const module: Readonly<Record<string, unknown>> = await import(resolve(SOURCES, path))
    for (const [name, value] of Object.entries(module))
      if (isScript(value)) found.set(`${path} ${name}`, value)
  }
  return found
}

test('every word that a script refuses with has its code', async () => {
  const all = await scripts()
  assert.ok(all.size > 0)
  for (const [name, { source, reasons }] of all) {
    const said = [...source.matchAll(/\brefuse ([a-z]\w*)/g)].map(([, word = '']) => word)
    assert.deepEqual(
      said.filter((word) => !Object.hasOwn(reasons, word)),
      [],
      name,
    )
  }
})

test('no code waits for a word that no script of its table ever says', async () => {
  const all = await scripts()
  for (const [reasons, entries] of Map.groupBy(all, ([, script]) => script.reasons)) {
    const words = new Set(entries.flatMap(([, { source }]) => source.match(/\w+/g) ?? []))
    const names = entries.map(([name]) => name).join(', ')
    assert.deepEqual(
      Object.keys(reasons).filter((word) => !words.has(word)),
      [],
      names,
    )
  }
})
