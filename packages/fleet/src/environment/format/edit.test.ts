import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editedFile, parseFile } from '#/environment/format/index.ts'
import { testSeed } from '@fleet/testing/sample'

const edited = (text: string, set: Record<string, string>, removed: readonly string[] = []): string =>
  editedFile(Buffer.from(text), { set: new Map(Object.entries(set)), removed }, 'general')

test('a key is set where it was first assigned, once, and a new one at the end', () => {
  assert.equal(edited('A=1\nB=2\nA=3\n', { A: 'x', C: 'y' }), 'A="x"\nB=2\nC="y"\n')
  assert.equal(edited('A=1', { B: 'x' }), 'A=1\nB="x"\n')
  assert.equal(edited('', { B: 'x' }), 'B="x"\n')
})

test('a removed key goes with all its lines, and what is between stays', () => {
  assert.equal(edited('# a\nA="1\n2"\n\nB=2 # b\nA=3\n', {}, ['A']), '# a\n\nB=2 # b\n')
})

test('a text whose keys cannot be determined is refused', () => {
  assert.throws(() => edited('A="1\n', { A: 'x' }), { problem: { rule: 'quote_open', line: 1 } })
})

test('reading the edited text gives the old values with the new ones in their place', () => {
  const values = fc.dictionary(
    fc.constantFrom('A', 'B', 'C', 'D'),
    fc.string({ unit: fc.constantFrom('a', "'", '"', '$', '\\', '\n', '#', ' ') }),
  )
  fc.assert(
    fc.property(values, values, (before, set) => {
      const text = edited(
        edited('', before),
        set,
        ['D'].filter((key) => !(key in set)),
      )
      const kept = Object.entries({ ...before, ...set }).filter(([key]) => key !== 'D' || 'D' in set)
      assert.deepEqual(Object.fromEntries(parseFile(text)), Object.fromEntries(kept))
    }),
    { seed: testSeed() },
  )
})
