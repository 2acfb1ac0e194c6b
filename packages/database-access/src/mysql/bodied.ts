import { type QuotingMode, tokenize, wordAt } from './tokens.ts'

/** Whether a statement may have a body, whose statements end with semicolons of their own. The server takes no second one anyway. */
export function hasBody(sql: string, mode: QuotingMode): boolean {
  const tokens = tokenize(sql, mode)?.filter(({ kind }) => kind !== 'executable') ?? []
  const verb = wordAt(tokens, 0)
  if (verb === 'begin') return wordAt(tokens, 1) === 'not' && wordAt(tokens, 2) === 'atomic'
  if (verb !== 'create' && verb !== 'alter') return false
  let at = 1
  while (OPTIONS.has(wordAt(tokens, at))) at += 1
  if (wordAt(tokens, at) !== 'definer') return BODIED.has(wordAt(tokens, at))
  return tokens.slice(at, at + DEFINER_TOKENS).some((_, index) => BODIED.has(wordAt(tokens, at + index)))
}

const OPTIONS = new Set(['or', 'replace', 'aggregate'])
const BODIED = new Set(['procedure', 'function', 'trigger', 'event', 'package', 'library'])
/** `DEFINER = 'user' @ 'host' AGGREGATE FUNCTION`. */
const DEFINER_TOKENS = 7
