textures/base_wall/c_met5_
{
	{
		map $lightmap 
		tcGen lightmap 
	}
	{
		map textures/base_wall/c_met5_2.tga
	}
	{
		map textures/detail/d_conc.tga
		blendfunc gl_dst_color gl_src_color
		tcMod scale 4 4
		detail
	}
}

