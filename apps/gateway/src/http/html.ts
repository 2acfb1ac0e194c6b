/** A page that needs nothing from anywhere; `fragments` are HTML already. */
export const html = ({ head = '', title, fragments }: HtmlText): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${head}<title>${escaped(title)}</title>
<style>body{margin:20vh auto 0;max-width:34rem;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color-scheme:light dark}h1{font-size:1.25rem}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${fragments.join('\n')}
</body>
</html>
`

export interface HtmlText {
  readonly head?: string
  readonly title: string
  readonly fragments: readonly string[]
}

export const paragraph = (text: string): string => `<p>${escaped(text)}</p>`

/** For text and for attributes in double quotes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
