import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { INSIDE, INVENTED, type Invented } from './invented.ts'
import { archive } from './tar.ts'

export interface Registry extends AsyncDisposable {
  readonly url: string
}

/** A registry of invented packages on a loopback port; it also serves their archives under `/archives/NAME-VERSION.tgz`. */
export async function startRegistry(packages: readonly Invented[] = INVENTED): Promise<Registry> {
  const archives = new Map(packages.map((one) => [`${one.name}@${one.version}`, archiveOf(one)]))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://registry').pathname).slice(1)
    const file = /^(.+)\/-\/.*?-(\d+\.[^/]*)\.tgz$|^archives\/([^/]+?)-(\d+\..*)\.tgz$/.exec(path)
    if (file) {
      const found = archives.get(`${file[1] ?? file[3]}@${file[2] ?? file[4]}`)
      response.writeHead(found ? 200 : 404).end(found)
      return
    }
    const versions = packages.filter(({ name }) => name === path)
    if (versions.length === 0) response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(packument(`http://${request.headers.host}`, versions, archives)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A server that listens on TCP has one.
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function packument(
  url: string,
  versions: readonly Invented[],
  archives: ReadonlyMap<string, Buffer>,
): object {
  const [{ name } = { name: '' }] = versions
  const released = versions.filter(({ version }) => !/^\d+\.\d+\.\d+-/.test(version))
  return {
    name,
    'dist-tags': {
      latest: (released.at(-1) ?? versions.at(-1))?.version,
      next: versions.at(-1)?.version,
    },
    versions: Object.fromEntries(
      versions.map((one) => [
        one.version,
        {
          ...one,
          dist: {
            tarball: `${url}/${name}/-/${name.split('/').at(-1)}-${one.version}.tgz`,
            integrity: integrityOf(archives.get(`${name}@${one.version}`) ?? Buffer.alloc(0)),
          },
        },
      ]),
    ),
    time: Object.fromEntries(versions.map(({ version }) => [version, '2020-01-01T00:00:00.000Z'])),
  }
}

const integrityOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

const archiveOf = (one: Invented): Buffer =>
  archive({
    'package/package.json': JSON.stringify(one),
    'package/x.js': '#!/usr/bin/env node\n',
    ...INSIDE[`${one.name}@${one.version}`],
  })
