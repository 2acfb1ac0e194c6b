/** What a text may name of an Instance. */
export interface Named {
  readonly path: string
  /** Of its own Route; null without one. */
  readonly domain: string | null
}

interface Rule {
  /** Matches the text before an occurrence that is only the end of another name. */
  readonly before: RegExp
  /** The same for what comes after it. */
  readonly after: RegExp
}

const PATH: Rule = { before: /[\w.~-]$/, after: /^[\w.~-]/ }
// A leading dot is that of a cookie for all hosts below; with a label before it, it is another host.
const DOMAIN: Rule = { before: /[\w-]\.?$/, after: /^(?:[\w-]|\.[A-Za-z0-9])/ }

/**
 * The text with the path and the domain of one Instance replaced by those of another, wherever they are whole: a longer path or host
 * that only begins or ends alike stays. `settle-copy.sh` does the same to the environment files of a copied checkout.
 */
export function renamed(text: string, from: Named, to: Named): string {
  const moved = replaced(text, from.path, to.path, PATH)
  return from.domain === null || to.domain === null ? moved : replaced(moved, from.domain, to.domain, DOMAIN)
}

function replaced(text: string, from: string, to: string, { before, after }: Rule): string {
  const parts = text.split(from)
  return parts.reduce((done, part) => {
    const isWhole = !before.test(done) && !after.test(part)
    return `${done}${isWhole ? to : from}${part}`
  })
}
