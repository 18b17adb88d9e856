import CSDImage
import SDImage

/// A manager whose transfers start in the order of their loads, however long the look-ups take on a busy machine.
func makePatientManager(cache: Owned?, loader: Owned) throws -> Owned {
    try CallTimeLimits.$lookUp.withValue(600_000_000_000) { try makeManager(cache: cache, loader: loader) }
}

/// The configuration of a downloader for servers that hold their responses until other work has been done, which may take longer
/// than the default time-outs on a busy machine.
func makePatientConfig() -> Owned {
    let config = Owned(sdimage_downloader_config_new()) { sdimage_downloader_config_unref($0) }
    sdimage_downloader_config_set_connect_timeout_ms(config.pointer, 600_000)
    sdimage_downloader_config_set_inactivity_timeout_ms(config.pointer, 600_000)
    sdimage_downloader_config_set_total_timeout_ms(config.pointer, 600_000)
    return config
}
