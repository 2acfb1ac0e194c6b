import { readFile } from 'node:fs/promises'
import type { Admission } from './admission.ts'
import type { App } from './server.ts'

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Fleet API</title><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><rapi-doc spec-url="/openapi.json" render-style="read" load-fonts="false" show-header="false" allow-authentication="false" allow-server-selection="false" allow-try="false" schema-description-expanded="true" primary-color="#2563eb"></rapi-doc>
<script src="/docs/rapidoc-min.js"></script></body>
</html>
`

/** Pages outside `/api/v1`: the description, its reader, and liveness without identity or data. */
export function mountReference(
  app: App,
  openApi: () => unknown,
  admission: Admission,
  readReader: () => Promise<Buffer> = readRapidoc,
): void {
  // One piece of memory for all answers: a client that reads slowly keeps no copy of its own. Built for whoever asks first,
  // because building it takes as long as half of a start.
  let document: Buffer | undefined
  let reader: Promise<Buffer> | undefined
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send((document ??= Buffer.from(JSON.stringify(openApi())))),
  )
  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; connect-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      // For browsers that do not know frame-ancestors.
      .header('x-frame-options', 'DENY')
      .send(PAGE),
  )
  // The reader comes from its npm package, so the page needs no other host.
  app.get('/docs/rapidoc-min.js', async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'max-age=86400')
      .send(await (reader ??= readReader())),
  )
  app.get('/healthz', (_request, reply) =>
    reply
      .code(admission.draining ? 503 : 200)
      .type('text/plain')
      .send(admission.draining ? 'draining\n' : 'ok\n'),
  )
}

const readRapidoc = (): Promise<Buffer> =>
  readFile(new URL(import.meta.resolve('rapidoc/dist/rapidoc-min.js')))
