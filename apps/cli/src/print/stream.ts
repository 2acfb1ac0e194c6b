import type { CliTree } from '@fleet/surfaces'
import type { Terminal } from '#/terminal.ts'
import type { StreamText } from '#/views/view.ts'
import { streamLine } from './answer.ts'
import { storedCodeText } from './stored-code.ts'

/** How the lines of a stream are printed for people. */
export async function textOfStream(name: string, terminal: Terminal, tree: CliTree): Promise<StreamText> {
  const { streamViews } = await import('#/views/index.ts')
  const view = streamViews[name]
  if (!view) return { line: (data) => [streamLine(data)], end: () => [] }
  const messageOf = (code: string): string | undefined => storedCodeText(tree, code)
  return view({ columns: terminal.columns, colors: terminal.outColors, messageOf })
}
