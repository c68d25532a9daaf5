import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFixtureEntry {
  name: string;
  content: string;
  crc?: number;
  flags?: number;
  declaredSize?: number;
  /** 0 stored, 8 deflated. */
  method?: number;
}

/** Writes a zip by hand (APPNOTE 4.3), so that it can also lie. */
export function zipOf(entries: readonly ZipFixtureEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const { name, content, crc, flags = 0, declaredSize, method = 8 } of entries) {
    const [label, plain] = [Buffer.from(name), Buffer.from(content)];
    const packed = method === 8 ? deflateRawSync(plain) : plain;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc ?? crc32(plain), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declaredSize ?? plain.length, 18);
    common.writeUInt16LE(label.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(
      locals.reduce((sum, part) => sum + part.length, 0),
      10,
    );
    directory.push(Buffer.from('PK\u0001\u0002\u0014\0'), common, tail, label);
    locals.push(Buffer.from('PK\u0003\u0004'), common, label, packed);
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(Buffer.concat(locals).length, 16);
  return Buffer.concat([...locals, ...directory, end]);
}
