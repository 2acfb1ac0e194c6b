/** A type for which only its element is printed, as a negative number: the array of it is to be looked up. */
export const isArrayOf = (type: number): boolean => type < 0

/** The field that says which type an expression has (exprType of nodeFuncs.c). Names before and since PostgreSQL 16. */
const TYPE_FIELDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    vartype: 'VAR',
    consttype: 'CONST',
    paramtype: 'PARAM',
    aggtype: 'AGGREF',
    wintype: 'WINDOWFUNC',
    refrestype: 'SUBSCRIPTINGREF',
    funcresulttype: 'FUNCEXPR',
    opresulttype: 'OPEXPR DISTINCTEXPR NULLIFEXPR',
    resulttype: 'FIELDSELECT RELABELTYPE COERCEVIAIO ARRAYCOERCEEXPR CONVERTROWTYPEEXPR COERCETODOMAIN',
    casetype: 'CASE CASEEXPR',
    array_typeid: 'ARRAY ARRAYEXPR',
    row_typeid: 'ROW ROWEXPR',
    coalescetype: 'COALESCE COALESCEEXPR',
    minmaxtype: 'MINMAX MINMAXEXPR',
    type: 'SQLVALUEFUNCTION',
  }).flatMap(([field, tags]) => tags.split(' ').map((tag) => [tag, field] as const)),
)

const BOOLEAN = 16
const INTEGER = 23
const TEXT = 25
const XML = 142

/** Nodes whose type follows from what they are. Names before and since PostgreSQL 16. */
const TYPE_OF_TAG: ReadonlyMap<string, number> = new Map(
  (
    [
      [BOOLEAN, 'BOOLEXPR NULLTEST BOOLEANTEST SCALARARRAYOPEXPR ROWCOMPARE ROWCOMPAREEXPR JSONISPREDICATE'],
      [INTEGER, 'GROUPING GROUPINGFUNC'],
    ] as const
  ).flatMap(([type, tags]) => tags.split(' ').map((tag) => [tag, type] as const)),
)

/** Type of an expression as it is printed; undefined for one that does not print it, negative for `isArrayOf`. */
export function typeOf(printed: string): number | undefined {
  const tag = /^\{(\w+) /.exec(printed)?.[1] ?? ''
  switch (tag) {
    case 'SUBLINK':
      return typeOfSubLink(printed)
    case 'COLLATE':
    case 'COLLATEEXPR':
      return typeOf(nodeOf(printed, 'arg'))
    case 'JSONCONSTRUCTOREXPR':
    case 'JSONEXPR':
      return numberOf(nodeOf(printed, 'returning'), 'typid')
    case 'XMLEXPR':
      return XML_TYPES.get(/^\{XMLEXPR :op (\d+) /.exec(printed)?.[1] ?? '') ?? XML
    default:
      return TYPE_OF_TAG.get(tag) ?? numberOf(printed, TYPE_FIELDS.get(tag))
  }
}

/** XMLSERIALIZE and IS DOCUMENT (XmlExprOp of primnodes.h). */
const XML_TYPES: ReadonlyMap<string, number> = new Map([
  ['6', TEXT],
  ['7', BOOLEAN],
])

/** EXPR_SUBLINK has the type of its only column, ARRAY_SUBLINK the array of it, and the ones before are conditions. */
function typeOfSubLink(printed: string): number | undefined {
  const kind = Number(/^\{SUBLINK :subLinkType (\d+) /.exec(printed)?.[1])
  if (kind < 4) return BOOLEAN
  if (kind !== 4 && kind !== 6) return undefined
  const [target = ''] = listBehind(/^/, ownBehind(nodeOf(printed, 'subselect'), ' :targetList (')) ?? []
  const type = typeOf(nodeOf(target, 'expr'))
  // An array of arrays is one of more dimensions.
  return type === undefined || kind === 4 ? type : -Math.abs(type)
}

function numberOf(printed: string, field: string | undefined): number | undefined {
  const text =
    field === undefined ? undefined : new RegExp(` :${field} (\\d+)[ }]`).exec(withoutInner(printed))?.[1]
  return text === undefined ? undefined : Number(text)
}

/** The node in a field of a node; empty when it has none. */
export function nodeOf(printed: string, field: string): string {
  const text = ownBehind(printed, ` :${field} `)
  return text.startsWith('{') ? text.slice(0, nodeEnd(text, 0)) : ''
}

/** What follows a text that is in a node itself, and not in one inside of it. Blanks within names have a backslash. */
function ownBehind(printed: string, text: string): string {
  let depth = 0
  for (let at = 0; at < printed.length; at += 1) {
    if (depth === 1 && printed.startsWith(text, at)) return printed.slice(at + text.length)
    if (printed[at] === '\\') at += 1
    else if (printed[at] === '{') depth += 1
    else if (printed[at] === '}') depth -= 1
  }
  return ''
}

/** A node without those inside of it. */
function withoutInner(printed: string): string {
  let own = ''
  for (let at = 1; at < printed.length; at += 1) {
    const end = printed[at] === '{' ? nodeEnd(printed, at) : undefined
    if (printed[at] === '\\') at += 1
    else if (end === undefined) own += printed[at]
    else at = end - 1
  }
  return own
}

/** The nodes of the list that begins where a head ends. */
export function listBehind(pattern: RegExp, text: string): readonly string[] | undefined {
  const head = pattern.exec(text)?.[0]
  if (head === undefined) return undefined
  const list: string[] = []
  for (let at = head.length; text[at] !== ')';) {
    if (text[at] === ' ') at += 1
    const end = nodeEnd(text, at)
    if (text[at] !== '{' || end === undefined) return undefined
    list.push(text.slice(at, end))
    at = end
  }
  return list
}

/** Where a node ends: braces of names are printed behind a backslash (outToken of outfuncs.c). */
function nodeEnd(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '{') depth += 1
    else if (text[at] === '}') depth -= 1
    if (depth === 0) return at + 1
  }
  return undefined
}
