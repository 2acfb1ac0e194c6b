import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTree } from '#/tree.ts'
import { storedCodeText } from './stored-code.ts'

test('what is said of a stored code sends nobody to details that are not there', () => {
  const tree = readTree()
  assert.equal(
    storedCodeText(tree, 'app-dev.source_access_failed'),
    'The web server could not be given access to the web root. The previous permissions were restored.',
  )
  assert.equal(storedCodeText(tree, 'node.unreachable'), tree.errors['node.unreachable']?.message)
  assert.equal(storedCodeText(tree, 'later.code'), undefined)
  for (const code of Object.keys(tree.errors)) assert.notEqual(storedCodeText(tree, code), '', code)
})
