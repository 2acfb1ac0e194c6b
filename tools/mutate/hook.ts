// Loaded before everything else in a process under test, and in those that it starts: one file is read with one place broken.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { pathToFileURL } from 'node:url'
import { applyPlace, MUTANT, type Mutant } from './mutant.ts'

const given = process.env[MUTANT]
if (given !== undefined) {
  const mutant = JSON.parse(given) as Mutant // Written by this program's parent.
  const broken = pathToFileURL(mutant.file).href
  registerHooks({
    load: (url, context, next) =>
      url === broken
        ? {
            format: 'module',
            source: stripTypeScriptTypes(applyPlace(readFileSync(mutant.file, 'utf8'), mutant)),
            shortCircuit: true,
          }
        : next(url, context),
  })
}
