import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allScripts } from '#/nodes/session/all-scripts.test.ts'

test('every word that a script refuses with has its code', async () => {
  const all = await allScripts()
  assert.ok(all.size > 0)
  for (const [name, { source, reasons, readsRefusals }] of all) {
    if (readsRefusals) continue
    const said = [...source.matchAll(/\brefuse ([a-z][\w-]*)/g)].map(([, word = '']) => word)
    assert.deepEqual(
      said.filter((word) => !Object.hasOwn(reasons, word)),
      [],
      name,
    )
  }
})

test('no code waits for a word that no script of its table ever says', async () => {
  const all = await allScripts()
  for (const [reasons, entries] of Map.groupBy(all, ([, script]) => script.reasons)) {
    const words = new Set(entries.flatMap(([, { source }]) => source.match(/[\w-]+/g) ?? []))
    const names = entries.map(([name]) => name).join(', ')
    assert.deepEqual(
      Object.keys(reasons).filter((word) => !words.has(word)),
      [],
      names,
    )
  }
})
