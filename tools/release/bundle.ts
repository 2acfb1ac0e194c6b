import { copyFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { build, type BuildOptions, type Plugin } from 'esbuild'

/** Modules that packages try and do without: they would be native code. */
const OPTIONAL = ['cpu-features', 'pg-native', '*.node']

/** What packages in CommonJS find around them, and an ES module has not. */
const COMMON_JS = `import { createRequire as fleetCreateRequire } from 'node:module'
import { dirname as fleetDirname } from 'node:path'
import { fileURLToPath as fleetFileURLToPath } from 'node:url'
const require = fleetCreateRequire(import.meta.url)
const __filename = fleetFileURLToPath(import.meta.url)
const __dirname = fleetDirname(__filename)`

const COMMON = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node26',
  external: OPTIONAL,
  // Its CommonJS form asks for its parts in a way that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // Lines and names stay: the stack trace of a gateway in trouble must say where, and fit on a screen.
  minify: false,
  legalComments: 'none',
  logLevel: 'warning',
  charset: 'utf8',
  banner: { js: COMMON_JS },
} as const satisfies BuildOptions

/** The text of the module that the executable starts with. */
export async function bundleExecutable(root: string): Promise<string> {
  const { outputFiles } = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: [join(root, 'apps/executable/src/main.ts')],
    plugins: [
      besideFiles(() => refuse('the executable is one file: it has no thread and no asset beside it')),
    ],
    write: false,
  })
  const [file] = outputFiles
  if (!file || outputFiles.length !== 1) throw new Error('the executable must become one module')
  return file.text
}

/** Writes the gateway, its threads and the files it serves into a folder. */
export async function bundleGateway(root: string, folder: string): Promise<void> {
  const threads = new Set<string>()
  const assets = new Set<string>()
  const beside: Beside = ({ thread, asset }) => {
    if (thread) threads.add(thread)
    if (asset) assets.add(asset)
  }
  const plugins = [besideFiles(beside)]
  const gateway = join(root, 'apps/gateway/src/installed.ts')
  await build({ ...COMMON, absWorkingDir: root, entryPoints: { gateway }, plugins, outdir: folder })
  for (const thread of threads)
    await build({ ...COMMON, absWorkingDir: root, entryPoints: [thread], plugins, outdir: folder })
  for (const asset of assets) copyFileSync(asset, join(folder, basename(asset)))
}

/** Told of a file that must lie beside the bundle. */
type Beside = (file: { readonly thread?: string; readonly asset?: string }) => void

const refuse = (why: string): never => {
  throw new Error(why)
}

const OWN = /\/(apps|packages)\/[^/]+\/src\/.*\.ts$/
const READ = /(?:await )?readFile(?:Sync)?\(new URL\('([^']+)', import\.meta\.url\), 'utf8'\)/g
const TEXT = /\btextFile\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g
const THREAD = /new URL\('([^']+)\.ts', import\.meta\.url\)/g
const ASSET = /import\.meta\.resolve\('([^']+)'\)/g

/**
 * A bundle has no folder of its own modules: a text read from beside a module becomes part of it, a thread or a file to
 * be served lies beside the bundle.
 */
const besideFiles = (beside: Beside): Plugin => ({
  name: 'files beside modules',
  setup({ onLoad }) {
    onLoad({ filter: OWN }, ({ path }) => {
      const folder = dirname(path)
      const contents = readFileSync(path, 'utf8')
        .replaceAll(READ, (_all, name: string) => textOf(resolve(folder, name)))
        .replaceAll(TEXT, (_all, name: string) => textOf(resolve(folder, name)))
        .replaceAll(THREAD, (_all, name: string) => {
          beside({ thread: resolve(folder, `${name}.ts`) })
          return `new URL('${basename(name)}.js', import.meta.url)`
        })
        .replaceAll(ASSET, (_all, name: string) => {
          beside({ asset: createRequire(path).resolve(name) })
          return `new URL('${basename(name)}', import.meta.url).href`
        })
      if (/\btextFile\([^)]*import\.meta/.test(contents))
        refuse(`${path}: a text file whose name is not in quotes`)
      return { contents, loader: 'ts' }
    })
  },
})

const textOf = (path: string): string => JSON.stringify(readFileSync(path, 'utf8'))
