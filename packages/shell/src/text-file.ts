import { readFileSync } from 'node:fs'

/**
 * The text of a file beside the module whose `import.meta.url` is given, read once, when that module loads. The release has
 * no folder of its modules: tools/release/bundle.ts puts the text in the place of the call, so the name is a literal.
 */
export const textFile = (name: string, module: string): string => readFileSync(new URL(name, module), 'utf8')
