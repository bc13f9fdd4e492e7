import type * as Nodemailer from 'nodemailer'
import { lazyPackage } from './lazy.ts'

const nodemailer = lazyPackage<typeof Nodemailer>('nodemailer')

/** A letter in plain text. */
export interface Letter {
  /** One e-mail address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Where an answer goes, if not to the sender. */
  readonly replyTo?: string
}

/** Sends letters. Throws if the server does not take one. */
export interface Mailer {
  send(letter: Letter): Promise<void>
  /** Signs in to the server, and sends nothing. Throws if that fails. */
  verify(): Promise<void>
}

/** Timeout for each step of a conversation, in milliseconds. */
const TIMEOUT = 15_000
const MAX_SUBJECT = 200

/** Addresses that letters go to: a single one, without anything that could be read as a second. */
const ADDRESS = /^[^\s<>,;:"()[\]\\@]{1,64}@[a-z0-9.-]{1,189}$/i

/** An address that no server takes, such as that of the first administrator before it is set. */
export function isDeliverable(address: string): boolean {
  return ADDRESS.test(address) && !/(\.localdomain|\.invalid|@localhost)$/i.test(address)
}

/** Sends through an SMTP server at `smtp://` or `smtps://`. A connection serves one letter. */
export function smtpMailer(url: string, from: string): Mailer {
  const connect = () =>
    nodemailer().createTransport({
      url,
      connectionTimeout: TIMEOUT,
      greetingTimeout: TIMEOUT,
      socketTimeout: TIMEOUT,
      dnsTimeout: TIMEOUT,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  return {
    async verify() {
      const transport = connect()
      await transport.verify().finally(() => transport.close())
    },
    async send({ to, subject, text, replyTo }) {
      if (!ADDRESS.test(to)) throw new Error(`"${to}" is not one address`)
      const transport = connect()
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          ...(replyTo !== undefined && ADDRESS.test(replyTo) && { replyTo: { name: '', address: replyTo } }),
          subject: oneLine(subject).slice(0, MAX_SUBJECT),
          text,
          // Programs that answer by themselves are asked not to (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } finally {
        transport.close()
      }
    },
  }
}

/** Control characters would begin another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
