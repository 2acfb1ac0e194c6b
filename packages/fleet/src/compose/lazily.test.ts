import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lazily } from '#/compose/lazily.ts'

interface Parts {
  readonly base: string
  readonly top: string
  readonly other: string
}

test('a member is made once, from the others, when it is first asked for', () => {
  const made: string[] = []
  const all = lazily<Parts>({
    top: ({ base }) => (made.push('top'), `${base} top`),
    base: () => (made.push('base'), 'base'),
    other: () => (made.push('other'), 'other'),
  })
  assert.deepEqual(made, [])
  assert.equal(all.top, 'base top')
  assert.equal(all.top, 'base top')
  assert.deepEqual(made, ['base', 'top'])
})

test('what is given is taken in the place of what would be made, also by the others', () => {
  const refuse = (): never => assert.fail('it was given')
  const all = lazily<Parts>(
    { base: refuse, top: ({ base }) => `${base} top`, other: refuse },
    { base: 'given', other: 'too' },
  )
  assert.equal(all.top, 'given top')
})

test('a member that needs itself to be made is refused with the way there', () => {
  const all = lazily<Parts>({
    base: ({ top }) => top,
    top: ({ other }) => other,
    other: ({ base }) => base,
  })
  assert.throws(() => all.top, /circular: top -> other -> base -> top/)
})
