import CSDImage
import SDImage

@_cdecl("sdimage_encode") @implementation
public func sdimage_encode(
    _ image: Object, _ format: sdimage_format, _ options: Object, _ data: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(data)
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let options = unsafe try encodeOptions(options)
        let format = ImageFormat(rawValue: format.rawValue) ?? .undefined
        unsafe try give(try Defaults.coders.encode(image, format: format, options: options, stop: StopSignal()), data)
    }
}

@_cdecl("sdimage_encode_file") @implementation
public func sdimage_encode_file(
    _ image: Object, _ path: Text, _ format: sdimage_format, _ options: Object, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        let image = unsafe try Handle.borrow(image, as: Image.self)
        let options = unsafe try encodeOptions(options)
        let path = unsafe Input.name(path)
        guard !path.isEmpty else { throw ImageError(.invalidArgument, "file: path is empty") }
        let asked = ImageFormat(rawValue: format.rawValue) ?? .undefined
        let format = asked == .undefined ? ImageFormat(fileName: path) : asked
        let bytes = try Defaults.coders.encode(image, format: format, options: options, stop: StopSignal())
        try FileWriter.write(bytes, to: path)
    }
}

@_cdecl("sdimage_format_of_name") @implementation
public func sdimage_format_of_name(_ name: Text) -> sdimage_format { ImageFormat(fileName: unsafe Input.name(name)).code }
