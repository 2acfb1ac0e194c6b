import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Node, Visitor } from 'oxc-parser'
import { citationsOf } from './citations.ts'
import type { Requirement, Requirements } from './requirements.ts'
import { NODE_SCRIPTS } from './scripts.ts'
import { isTest, type Report, type SourceFile } from './tree.ts'

/** What the product declares, for rows to name. */
export interface Declared {
  /** Codes of errors, of Doctor and of events: what is before the dot is a family. */
  readonly codes: readonly string[]
  /** `GET /nodes/{}`: method and path without the names of parameters. */
  readonly paths: ReadonlySet<string>
  /** Variables that scripts set for the programs they start. */
  readonly exported: ReadonlySet<string>
}

/** A code, setting or path that a statement names between backticks. */
interface Name {
  readonly id: string
  readonly text: string
}

const CODE = /^([a-z][a-z0-9_-]*)\.([a-z0-9_-]+)$/
const SETTING = /^FLEET_[A-Z0-9_]+$/
const PATH = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/

/** Rows that say what does not exist, or exists at the client alone. */
const ABSENT =
  /^(No|There is no)\b|; there is no `|and is not offered\b|client-(only|side)|inputs of the web development proxy only/i

/** A row cannot be proven while it names a code, event, setting or path that the product does not have. */
export function rowNames(
  tree: readonly SourceFile[],
  { rows, replaced, partly }: Requirements,
  declared: Declared,
): Report {
  const cited = new Set(tree.flatMap(citationsOf).map(({ id }) => id))
  const settled = new Set([...replaced, ...partly].map(({ id }) => id))
  const proven = rows.filter(({ id }) => cited.has(id) && !settled.has(id))
  const exists = inProduct(usedTexts(tree), declared)
  const names = proven.filter(({ statement }) => !ABSENT.test(statement)).flatMap(namesOf)
  const problems = names
    .filter(({ text }) => !exists(text))
    .map(
      ({ id, text }) =>
        `${id}  is cited as proven but names ${text}, which does not exist: add it to docs/requirements/partly.tsv or remove the citation`,
    )
  return { seen: names.length, unit: 'names', problems }
}

function inProduct(
  used: ReadonlySet<string>,
  { codes, paths, exported }: Declared,
): (name: string) => boolean {
  const families = new Set(codes.map((code) => CODE.exec(code)?.[1]))
  return (name) => {
    const [, method, path] = PATH.exec(name) ?? []
    if (method && path) return paths.has(routeOf(method, path))
    const [, family, reason = ''] = CODE.exec(name) ?? []
    if (used.has(name) || exported.has(name) || (family && !families.has(family))) return true
    // Some codes are put together, such as `<family>.inspection_failed`.
    return codes.includes(name) && used.has(reason)
  }
}

/** Settings after `export` in a script for Nodes: `export FLEET_A="$a" FLEET_B="$b"` has two. */
export function readExported(root: string): ReadonlySet<string> {
  const scripts = globSync(NODE_SCRIPTS, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  return new Set(
    scripts
      .flatMap((text) => [...text.matchAll(/\bexport ([^\n;]+)/g)])
      .flatMap(([, names = '']) =>
        [...names.matchAll(/\b(FLEET_[A-Z0-9_]+)=/g)].map(([, name = '']) => name),
      ),
  )
}

/** Examples and older names bind nobody. */
const LOOSE = /(such as|older names?) `[^`]+`/g

const namesOf = ({ id, statement }: Requirement): readonly Name[] =>
  [...statement.replaceAll(LOOSE, '').matchAll(/`([^`]+)`/g)]
    .map(([, text = '']) => ({ id, text: text.replace(/\?.*$/, '') }))
    .filter(({ text }) => CODE.test(text) || SETTING.test(text) || PATH.test(text))

/** Paths are compared without the prefix of the API and without the names of parameters. */
export const routeOf = (method: string, path: string): string =>
  `${method} ${path.replace(/^\/api\/v1(?=\/)/, '').replaceAll(/\{\w+\}/g, '{}')}`

/** Texts and names that the source works with. A table or list of the contract declares a code, which nobody need use. */
function usedTexts(tree: readonly SourceFile[]): ReadonlySet<string> {
  const texts = new Set<string>()
  for (const { path, parsed } of tree) {
    if (isTest(path) || !/^(packages|apps)\//.test(path) || path.startsWith('packages/testing/')) continue
    const add = (node: Node): void => {
      if (node.type === 'Literal' && typeof node.value === 'string') texts.add(node.value)
    }
    new Visitor(
      path.startsWith('packages/contract/')
        ? { Property: ({ value }) => add(value), CallExpression: (call) => call.arguments.map(add) }
        : { Literal: add, Identifier: ({ name }) => void texts.add(name) },
    ).visit(parsed.program)
  }
  return texts
}
