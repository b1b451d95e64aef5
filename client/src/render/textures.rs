//! Pictures on the GPU: uploaded once by id, with the bind group that draws them.

use super::staging::{self, Staging};
use crate::assets::{Assets, ImageId, image::Image};

/// A texture by its place in [`Textures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureSlot(u32);

impl TextureSlot {
    /// A single white pixel, for what has no picture or waits for it.
    pub const WHITE: Self = Self(0);
}

/// All uploaded pictures.
pub struct Textures {
    device: wgpu::Device,
    layout: wgpu::BindGroupLayout,
    samplers: [wgpu::Sampler; 4],
    bind_groups: Vec<wgpu::BindGroup>,
    /// By image id.
    slots: Vec<Option<TextureSlot>>,
    picmip: u32,
    staging: Staging,
}

impl Textures {
    /// `is_software`: the CPU does the GPU's work.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, is_software: bool) -> Self {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("image"),
            entries: &[
                texture_entry(0, wgpu::TextureViewDimension::D2),
                sampler_entry(1),
            ],
        });
        let samplers = samplers(device, 1);
        let mut textures = Self {
            device: device.clone(),
            layout,
            samplers,
            bind_groups: Vec::new(),
            slots: Vec::new(),
            picmip: 0,
            staging: Staging::new(device, queue, is_software),
        };
        let white = Image {
            name: "white".to_owned(),
            width: 1,
            height: 1,
            levels: vec![vec![255; 4]],
            is_mipmapped: false,
            is_clamped: false,
            can_shrink: false,
            has_alpha: false,
        };
        textures.upload(&white);
        textures
    }

    pub fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// The texture of an image; white as long as its pixels are missing.
    pub fn slot(&mut self, assets: &Assets, id: ImageId) -> TextureSlot {
        let index = id.0 as usize;
        if let Some(Some(slot)) = self.slots.get(index) {
            return *slot;
        }
        let Some(image) = assets.image(id) else {
            return TextureSlot::WHITE;
        };
        let slot = self.upload(image);
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        self.slots[index] = Some(slot);
        slot
    }

    /// Forgets all pictures: their ids have a new meaning.
    pub fn clear(&mut self) {
        self.bind_groups.truncate(1);
        self.slots.clear();
    }

    /// How many pictures there are.
    pub fn len(&self) -> usize {
        self.bind_groups.len()
    }

    /// Samples pictures this sharply at flat angles; all of them are uploaded anew.
    pub fn set_anisotropy(&mut self, anisotropy: u16) {
        self.clear();
        self.samplers = samplers(&self.device, anisotropy.clamp(1, 16));
    }

    /// Leaves out this many of the largest levels; all pictures are uploaded anew.
    pub fn set_picmip(&mut self, picmip: u32) {
        self.clear();
        self.picmip = picmip;
    }

    pub fn bind_group(&self, slot: TextureSlot) -> &wgpu::BindGroup {
        &self.bind_groups[slot.0 as usize]
    }

    /// Sends what has been uploaded; due before the commands that draw it.
    pub fn send(&mut self) {
        self.staging.send();
    }

    fn upload(&mut self, image: &Image) -> TextureSlot {
        let wanted = if image.can_shrink { self.picmip } else { 0 };
        let left_out = wanted.min(image.levels.len() as u32 - 1);
        let levels = &image.levels[left_out as usize..];
        let size = wgpu::Extent3d {
            width: (image.width >> left_out).max(1),
            height: (image.height >> left_out).max(1),
            depth_or_array_layers: 1,
        };
        let texture = create_texture(&self.device, &image.name, size, levels.len() as u32);
        for (level, pixels) in levels.iter().enumerate() {
            let level_size = size.mip_level_size(level as u32, wgpu::TextureDimension::D2);
            let target = texture_level(&texture, level as u32, 0);
            self.staging.write(target, level_size, pixels);
        }
        let sampler =
            &self.samplers[usize::from(image.is_clamped) * 2 + usize::from(image.is_mipmapped)];
        let view = texture.create_view(&Default::default());
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&image.name),
            layout: &self.layout,
            entries: &[
                bind_entry(0, wgpu::BindingResource::TextureView(&view)),
                bind_entry(1, wgpu::BindingResource::Sampler(sampler)),
            ],
        });
        self.bind_groups.push(group);
        TextureSlot(self.bind_groups.len() as u32 - 1)
    }
}

/// The lightmaps of a map as layers of one texture; RGBA, `size` × `size` each.
pub fn create_lightmaps(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    size: u32,
    layers: &[Vec<u8>],
) -> wgpu::TextureView {
    // For WebGL2, wgpu takes one layer for a plain texture and multiples of six for cubes, whatever their view says.
    let count = match layers.len() as u32 {
        0 | 1 => 2,
        count if count.is_multiple_of(6) => count + 1,
        count => count,
    };
    let count = count.min(device.limits().max_texture_array_layers);
    let extent = wgpu::Extent3d {
        width: size,
        height: size,
        depth_or_array_layers: count,
    };
    let texture = create_texture(device, "lightmaps", extent, 1);
    let layer_size = wgpu::Extent3d {
        depth_or_array_layers: 1,
        ..extent
    };
    for (layer, pixels) in layers.iter().take(count as usize).enumerate() {
        let target = texture_level(&texture, 0, layer as u32);
        queue.write_texture(
            target,
            pixels,
            staging::layout(0, size * 4, size),
            layer_size,
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    })
}

/// Repeated and clamped ones, each without and with mipmaps.
fn samplers(device: &wgpu::Device, anisotropy: u16) -> [wgpu::Sampler; 4] {
    let repeat = wgpu::AddressMode::Repeat;
    let clamp = wgpu::AddressMode::ClampToEdge;
    [
        (repeat, false),
        (repeat, true),
        (clamp, false),
        (clamp, true),
    ]
    .map(|(address, mips)| create_sampler(device, address, mips.then_some(anisotropy)))
}

/// A sampler; `anisotropy` is for pictures with mipmaps only.
pub fn create_sampler(
    device: &wgpu::Device,
    address: wgpu::AddressMode,
    anisotropy: Option<u16>,
) -> wgpu::Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("image"),
        address_mode_u: address,
        address_mode_v: address,
        address_mode_w: wgpu::AddressMode::ClampToEdge,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: match anisotropy {
            Some(_) => wgpu::MipmapFilterMode::Linear,
            None => wgpu::MipmapFilterMode::Nearest,
        },
        anisotropy_clamp: anisotropy.unwrap_or(1),
        ..Default::default()
    })
}

pub fn texture_entry(
    binding: u32,
    view_dimension: wgpu::TextureViewDimension,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension,
            multisampled: false,
        },
        count: None,
    }
}

pub fn sampler_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        count: None,
    }
}

pub fn bind_entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}

fn create_texture(
    device: &wgpu::Device,
    label: &str,
    size: wgpu::Extent3d,
    levels: u32,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size,
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

fn texture_level(
    texture: &wgpu::Texture,
    mip_level: u32,
    layer: u32,
) -> wgpu::TexelCopyTextureInfo<'_> {
    wgpu::TexelCopyTextureInfo {
        texture,
        mip_level,
        origin: wgpu::Origin3d {
            x: 0,
            y: 0,
            z: layer,
        },
        aspect: wgpu::TextureAspect::All,
    }
}
