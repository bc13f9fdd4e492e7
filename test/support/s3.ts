import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface S3 {
  /** What is stored, by path. */
  readonly files: Map<string, Buffer>
  /** The settings of a service that keeps its files there. */
  readonly settings: Record<'s3Bucket' | 's3KeyId' | 's3Secret' | 's3Region', string>
  close(): void
}

const SECRET = 'a secret'

/** Starts a store that speaks as much of S3 as we use, and checks signatures. */
export async function startS3(): Promise<S3> {
  const files = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    if (!isSigned(request)) return response.writeHead(403).end()
    const path = request.url ?? ''
    const known = files.get(path)
    if (request.method === 'PUT') files.set(path, bytes)
    else if (request.method === 'DELETE') files.delete(path)
    else if (known === undefined) return response.writeHead(404).end()
    else response.setHeader('content-length', known.length)
    return response.end(request.method === 'GET' ? known : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const s3Bucket = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`
  return {
    files,
    settings: { s3Bucket, s3KeyId: 'key', s3Secret: SECRET, s3Region: 'eu-west-1' },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Whether a request is signed with the secret: signature version 4 of AWS. */
function isSigned(request: IncomingMessage): boolean {
  const [, scope = '', signed = '', signature = ''] =
    /Credential=key\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(request.headers.authorization ?? '') ?? []
  const [day = '', region = '', name = ''] = scope.split('/')
  const hash = String(request.headers['x-amz-content-sha256'])
  const headers = signed
    .split(';')
    .map((header) => `${header}:${header === 'host' ? request.headers.host : request.headers[header]}\n`)
    .join('')
  const canonical = [request.method, request.url, '', headers, signed, hash].join('\n')
  const toSign = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    scope,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const key = [day, region, name, 'aws4_request'].reduce(
    (last: Buffer | string, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${SECRET}`,
  )
  return createHmac('sha256', key).update(toSign).digest('hex') === signature
}
