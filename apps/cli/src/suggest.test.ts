import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean, suggest } from './suggest.ts'

test('a swapped, missing or wrong letter finds the word', () => {
  const words = ['node:list', 'node:show', 'env:sync', 'project:list']
  assert.deepEqual(suggest('node:lsit', words), ['node:list'])
  assert.deepEqual(suggest('nod:list', words), ['node:list'])
  assert.deepEqual(suggest('env:sync', words), ['env:sync'])
  assert.deepEqual(suggest('banana', words), [])
})

test('a beginning finds the shortest words that continue from it', () => {
  assert.deepEqual(suggest('inst', ['instance:create', 'instance', 'env']), ['instance', 'instance:create'])
})

test('nothing near means no question', () => {
  assert.equal(didYouMean('x', ['yellow']), undefined)
  assert.equal(didYouMean('jsn', ['json'], '--'), 'Did you mean --json?')
})
